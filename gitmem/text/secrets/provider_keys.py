"""Keys recognised only by the name of their provider: ``MAILGUN = "..."``, ``weatherbit 3f0...``.

The names are facts taken from the rule files of gitleaks (MIT), Nosey Parker and Kingfisher (both
Apache 2.0) and from TruffleHog's list of providers, without everyday words. Values are found first
(long runs of letters and digits), then the few characters before each are examined, so that the
time depends on the number of candidates and not on the number of names.
"""

from __future__ import annotations

import functools
import re

from gitmem.text.lazy_pattern import lazy_pattern
from gitmem.text.secrets import stretches
from gitmem.text.secrets.secret_checks import (
    decode_base64,
    has_letters_and_digits,
    has_mixed_case_and_digits,
    looks_machine_made,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int, str]

_NAMES = """
ably abuseipdb abyssale accuweather adafruit adafruitio adobe adzuna aeroworkflow airbrake
airtable airvisual aiven alchemy alconost alegra aletheia algolia alibaba alienvault allsports
amadeus ambee amplitude anthropic anypoint apacta api2cart apideck apiflash apifonica apify
apilayer apimatic apimetrics apitemplate appcues appfollow appointedd appoptics appsynergy apptivo
artifactory asana assemblyai atera atlassian audd auth0 authress autodesk autoklose autopilot
avaza aviationstack axonaut aylien ayrshare azure azuredevops azureopenai azuresearchquery
azurestorage bannerbear baremetrics beamer beebole besnappy besttime betterstack billomat bintray
bitbar bitbucket bitcoinaverage bitfinex bitly bitmex bittrex blazemeter blitapp blocknative blynk
bombbomb boostnote borgbase braintree braintrust brandfetch browserstack browshot bscscan buddyns
budibase bugherd bugsnag buildkite bulbul bulksms buttercms caflou calendarific calendly
calorieninja campayn cannyio capsulecrm captaindata carboninterface cashboard caspio censys
centralstationcrm cexio chartmogul chatfuel chatfule checio checklyhq checkvist circleci clarifai
clearbit clickhelp clickhouse clicksendsms clickup cliengo clientary clinchpad clockify
clockworksms clojars closecrm cloudconvert cloudelements cloudflare cloudimage cloudinary
cloudmersive cloudplan cloudsight cloudsmith cloverly clustdoc coapi codacy codeclimate codecov
codemagic codequiry cohere coinbase coinlayer coinlib collect2 commercejs companyhub confluent
contentful conversiontools convertkit convier couchbase countrylayer coveralls craftmypdf crossref
crowdin cryptocompare currencycloud currencyfreaks currencylayer currencyscoop customerguru
customerio d7network dailyco dareboost databox databricks datadog datagov deepai deepgram deepseek
definednetworking demio dependencytrack detectify detectlanguage dfuse diffbot diggernaut
digitalocean discord disqus dnscheck dockerhub docparser documo docusign doppler dotdigital dovico
dronahq drone droneci dropbox duffel dwolla dynalist dynatrace dyspatch eagleeyenetworks
easyinsight easypost ecostruxureit edamam edenai eightxeight elastic elasticemail elevenlabs
enablex endorlabs etherscan ethplorer etsy eventbrite everhour exchangerate facebook faceplusplus
fastforex fastly feedier fetchrss fibery figma fileio finage financialmodelingprep findl finicity
finnhub firecrawl fixerio flatio fleetbase flexport flickr flightlabs flightstats flowflu
flutterwave flyio fmfw formbucket formcraft formio formsite foursquare frameio freemius freshbooks
freshdesk fullstory fxmarket geckoboard geoapify geocodify geocodio geoipifi getemail getgeo
getgist getresponse getsandbox gitalk github gitlab gitter glassnode gocanvas gocardless godaddy
goodday google grafana graphcms graphhopper groovehq groq gtmetrix gumroad gyazo happyscribe
hashicorp hashicorpvault hasura hellosign helpcrunch helpscout heroku hiveage honeycomb html2pdf
hubspot huggingface hybiscus hypertrack iconfinder iexapis iexcloud imagekit imagga infracost
infura insightly instabot instamojo intercom interseller intra42 intrinio invoiceocean ip2location
ipgeolocation ipifi ipinfo ipinfodb ipquality ipstack jenkins jfrog jira jotform jumpcloud
jupiterone kanbantool karmacrm keenio kickbox klaviyo klipfolio knapsackpro kontent kraken kucoin
kylas langfuse langsmith languagelayer larksuite launchdarkly leadfeeder lemlist lemonsqueezy
lendflow lessannoyingcrm lexigram linear linemessaging linenotify linkedin linkpreview liveagent
livestorm loadmill locationiq loggly loginradius logzio lokalise looker loyverse ltai lunchmoney
luno madkudu magicbell mailboxlayer mailchimp mailerlite mailgun mailjet mailmodo mailsac mailtrap
mandrill mapbox mapquest marketstack mattermost mavenlink maxmind maxmindlicense meaningcloud
mediastack meistertask meraki mesibo messagebird metaapi metrilo microsoftteams mindmeister
mistral mixmax mixpanel mockaroo monkeylearn moonclerk moosend moralis mrticktock myfreshworks
myintervals nasdaq nasdaqdatalink nethunt netlify netsuite newrelic newscatcher newyorktimes nexmo
nftport ngrok nicereply nightfall notion nozbeteams numverify nutritionix nylas nytimes oanda
octopusdeploy okta omnisend onedesk onelogin onepagecrm onesignal onfleet oopspam openai
opencagedata openrouter openuv openweather opsgenie optimizely overloop owlbot packagecloud
pagarme pagerduty pandadoc pandascore paperform paralleldots parsehub parseur partnerstack
pastebin paydirtapp paymoapp paymongo paypal paystack pdflayer pdfshift peopledatalabs pepipost
perplexity pganalyze photoroom pinata pinecone pipedream pipedrive pivotaltracker pixabay plaid
planetscale planviewleankit planyo plivo podio poloniex polygon portainer positionstack postageapp
posthog postman postmark powrbot privateai prodpad prospectcrm protocolsio proxycrawl pubnub
pulumi purestake pushbullet qase qualaroo qubole rabbitmq railwayapp rapidapi rawg razorpay
reachmail readme reallysimplesystems rebrandly rechargepayments rentman repairshopr replyio
requestfinance restpack restpackhtmltopdf restpackscreenshot revampcrm ringcentral ritekit
robinhood rocketreach rockset rootly route4me rownd rubygems runrunit runscope saladcloud salesblink
salescookie salesflare salesforce salesmate satismeter sauce scaleway scalingo scalr scrapeowl
scraperbox scrapestack scrapfly scrapingant scrapingbee screenshotlayer scrutinizer scrutinizerci
securitytrails segmentio selectpdf sendbird sendgrid sendinblue sentry serphouse serpstack
settlemint sheety sherpadesk shipday shippo shodan shopify shotstack shutterstock sidekiq signable
signalwire signaturit signupgenius sigopt simfin simplesat simplynoted simvoly sirv siteleaf
skrapp skrappio skybiometry slack smartsheets smartystreets smooch snipcart snowflake snyk sonar
sonarcloud sonarqube sourcegraph sparkpost spectralops speechtext speechtextai splunk spoonacular
sportsmonk spotify squareapp squarespace sslmate stackhawk stackoverflow statuscake statuspage
statuspal stitchdata stockdata storecove stormboard stormglass storyblok storychief strava stripe
stripo stytch sugester sumo sumologic supabase supernotes surveyanyplace surveybot surveysparrow
steam survicate swiftype tailscale tallyfy tatum tatumio tavily taxjar teamcity teamgate teamworkcrm
teamworkdesk teamworkspaces technicalanalysis tefter telegram teletype telnyx terraform
terraformcloud testingbot textmagic theodds thingsboard thinkific thousandeyes ticketmaster
tickettailor tiingo timecamp tines tmetric todoist toggl toggltrack tokeet tomorrowio tomtom
tradier transferwise travelpayouts travis travisci trello truenas twelvedata twilio twitch twitter
tyntec typeform typetalk ubidots uclassify unifyid unplu unplugg unsplash upcdatabase uplead
uploadcare uptimerobot upwave urlscan userflow userstack vagrant vagrantcloud vatlayer vbout
vercel verimail veriphone versioneye viewneo virustotal visualcrossing voiceflow voicegain voodoo
vouchery vultr vyte walkscore wandb weatherbit weatherstack web3storage webex webflow webscraper
webscraping websitepulse weightsandbiases wepay whoxy wistia worksnaps workstack worldcoinindex
worldweather wrike yandex yelp youneedabudget yousign youtube zapier zendesk zenkit zenrows
zenscrape zenserp zeplin zerobounce zerotier zipbooks zipcodebase zohocrm zonka zonkafeedback
zulipchat
"""
# Providers named by an everyday word: only clearly random values count after these.
_EVERYDAY_NAMES = """
abstract agora aha airship apollo artsy aws blogger box boxcom boxoauth chatbot checkout cicero
close cloze coda coinapi column commodities convertapi copper courier currentsapi dandelion debounce
delighted deno deputy ditto django docker duo duply enigma envoyapikey eraser extractorapi flightapi
float front ftp fulcrum gcp gemini gengo geocode gradle guardianapi guru harness harvest hereapi
hive holidayapi holistic host humanity hunter ibm impala ionic ipapi jina juro kagi kanban ldap line
lob m3o magnetic manifest metabase miro mite moderation monday mongo mongodb mux nasa neutrinoapi
newsapi ngc nimble noticeable npm nuget nvapi openvpn owm particleio percy phraseaccesstoken
pollsapi postbacks postgres prefect privacy pusher pypi ramp raven recaptcha redis refiner replicate
rev roaring sanity scraperapi screenshotapi segment semaphore shortcut sinch solarwinds square
squareup streak swell tableau timezoneapi tly tru twist vmware vpnapi wit wiz xai zipapi zipcodeapi
"""
_SHORTEST = 3
_LONGEST_NAME = 22
# Names after which hexadecimal digits are mostly a commit's.
_HOSTS = frozenset(
    (
        *("github", "gitlab", "bitbucket", "gitter", "codecov", "sentry", "drone", "jenkins"),
        *("travis", "circleci"),
    )
)
# The text before an assigned or quoted value ends in one of these.
_LEADS = ("=", ":", ">", '"', "'", "`")
_KEY_LENGTHS = frozenset((32, 48, 50, 56, 96))
_UUID = re.compile("[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_LOOK_BACK = 72
# Between a name and its key: the rest of the label, an operator, a quote. A word that says that the
# value is a digest, a version or an address ends the search.
_NOT_A_KEY = (
    r"sha\d|sha\b|h1:|\.(?:com|org|io|net|dev)\b|rev\b|commit|hash|digest|check|integrity|image"
    r"|version|url|http|public|_id\b|@|//"
)
_ASSIGNED = re.compile(
    r"\s[\"'`]|"
    rf"(?:(?!{_NOT_A_KEY})[\w .-]){{0,40}}[\"'`]?[\])]?\s{{0,4}}"
    r"(?:=>|:{1,3}=|[?.+]=|\|\||[:=,>|]|\s-|,\s?\"value\":)\s{0,20}(?:[urb@]?[\"'`]|\{)?\s?"
)
_LABELLED = re.compile(
    rf"(?:(?!{_NOT_A_KEY})[\w .-]){{0,24}}(?:key|token|secret|access|auth)(?:[ _-]code)?"
    r"(?:\s(?:is|was))?[\s_:=-]{1,4}[\"'`]?"
)
_DIRECT = re.compile(r"[\w-]{0,24}(?:\s{1,2}(?:key|token|secret|is|was|access))*\s{1,2}[\"'`]?")
_NEAR = re.compile(rf"(?:(?!{_NOT_A_KEY})[^\n]|\n(?![^\n]*\n)){{0,60}}")
# Names, dates, and names with the day of a release, of models and beta features.
_NO_KEY = re.compile(
    r"[A-Za-z]+(?:[_-][A-Za-z]*\d{0,3})+|[\d_:+-]+T?[\d_:+-]*Z?"
    r"|(?:(?:[A-Za-z]{1,16}|[A-Za-z]{0,3}\d{1,3}[A-Za-z]{0,2})[_-]){1,8}"
    r"20\d\d([_-]?)[01]\d\1[0-3]\d(?:[_-](?:[A-Za-z]{1,8}|v?\d{1,2})){0,2}"
)
# A run with a digit among its first characters, not after a dot, slash or at sign.
_candidate = lazy_pattern(
    r"(?<![\w+/.@-])(?=[A-Za-z_+/-]{0,24}[0-9])\w[\w+/-]{15,127}+={0,2}(?![\w(/%[]|\.\w)",
    re.ASCII,
)
_word = lazy_pattern("[a-z][a-z0-9_]{2,}")


@functools.cache
def _names() -> frozenset[str]:
    return frozenset(_NAMES.split())


@functools.cache
def _everyday_names() -> frozenset[str]:
    return frozenset(_EVERYDAY_NAMES.split())


def find_provider_keys(text: str, lower_case_text: str) -> list[Span]:
    """Return where a text has keys after the name of a service, as (start, end, "api-key").

    ``lower_case_text`` is ``text`` in lower case, as long as it.
    """
    return [
        (*match.span(), "api-key")
        for match in _candidates(text)
        if _is_key(match[0], lower_case_text[max(0, match.start() - _LOOK_BACK) : match.start()])
    ]


def _candidates(text: str) -> Iterator[re.Match[str]]:
    """Runs that could be keys; in a long text only in the stretches with a digit."""
    candidate = _candidate()
    if len(text) <= stretches.WORTH_IT:
        yield from candidate.finditer(text)
        return
    candidates = stretches.find_token_candidates(text)
    if not candidate.search(candidates.numbered):
        return
    for start, end in candidates.spans:
        # The pattern looks at two characters after the key.
        yield from candidate.finditer(text, start, min(end + 2, len(text)))


def _is_key(value: str, before: str) -> bool:
    name, gap = _after_name(before)
    # The cheap tests first: a text may hold thousands of candidates.
    if not name and not before.rstrip(" \t").endswith(_LEADS):
        return False
    if not has_letters_and_digits(value) or _NO_KEY.fullmatch(value):
        return False
    if name and _is_named(value, name, gap):
        return True

    return is_random_key(value, before)


def _is_named(value: str, name: str, gap: str) -> bool:
    """Whether a provider's name and what follows it lead to a key."""
    if _ASSIGNED.fullmatch(gap):
        return looks_machine_made(value) or (len(value) >= 20 and name not in _everyday_names())
    if looks_machine_made(value):
        return (_DIRECT if name in _everyday_names() else _NEAR).fullmatch(gap) is not None
    return _is_labelled(value, name, gap)


def _is_labelled(value: str, name: str, gap: str) -> bool:
    """Whether hexadecimal digits after a name and a blank are a key.

    They are called one, or are a UUID, or their length is not that of a git object.
    """
    if _LABELLED.fullmatch(gap):
        return True
    if name in _HOSTS or name in _everyday_names() or gap not in {" ", "  ", "\t"}:
        return False
    return _UUID.fullmatch(value.lower()) is not None or len(value) in _KEY_LENGTHS


def _after_name(before: str) -> tuple[str, str]:
    """The last name of a provider in the text, and the text after it; empty without one."""
    names, others = _names(), _everyday_names()
    for word in reversed(_word().findall(before)):
        if word[:_SHORTEST] not in _beginnings():
            continue
        for length in range(min(_LONGEST_NAME, len(word)), _SHORTEST - 1, -1):
            if word[:length] in names or (word[:length] in others and not word[length:].islower()):
                return word[:length], before[before.rindex(word) + length :]
    return "", ""


@functools.cache
def _beginnings() -> frozenset[str]:
    return frozenset([name[:_SHORTEST] for name in _names() | _everyday_names()])


_SHORTEST_QUOTED = 20
_SHORTEST_VALUE = 24
_SHORTEST_ARGUMENT = 32
# Names of values that are looked up, compared or shown, and are not secret.
_HARMLESS = re.compile(
    r"(?:\b|[\w.-])(?:ids?|uuid|guid|name|nonce|opaque|hash|digest|sha|sum|integrity|etag|cursor"
    r"|version|rev|ref|commit|slug|path|file|url|uri|src|href|class|color|fingerprint|challenge"
    r"|expected|actual|input|output|sample|data|content|body|payload|text|message|public|publickey"
    r"|public_key|alphabet|boundary|chars|charset|state|label|title|type|kind|address|account|user|sitekey)"
)
# The form of a digest in web pages and lock files, whatever its name.
_DIGEST = re.compile(r"sha(?:1|224|256|384|512)-")
# Words before a quoted value that say nothing about it: keywords, and words for a string.
_WORDS = frozenset(
    (
        *(
            "return",
            "yield",
            "in",
            "of",
            "is",
            "and",
            "or",
            "not",
            "case",
            "when",
            "from",
            "import",
        ),
        *("require", "to", "as", "by", "the", "a", "with", "like", "string", "echo", "print", "id"),
        *(
            "commit",
            "hash",
            "digest",
            "assert",
            "expect",
            "equals",
            "equal",
            "file",
            "name",
            "value",
        ),
    )
)
# A name, an operator and perhaps an opening quote, at the end of a text.
_assigned = lazy_pattern(
    r"(?<![\w.-])(?P<name>[a-z_$][\w.-]{0,48})[\"'`]?(?:\[\w{0,4})?\]?[ \t]{0,4}"
    r"(?::=|=>|\?=|[:=])[ \t]{0,4}(?:[urb@]?(?P<quote>[\"'`]))?$"
)
# A word and a quote, at the end of a text.
_spoken = lazy_pattern(r"(?<![\w.-])([a-z]\w{1,40})[ \t]{1,2}[\"'`]$")


def is_random_key(value: str, preceding_text: str) -> bool:
    """Return whether a value is a key, judged by itself and the text (lower case) before it."""
    if len(value) < _SHORTEST_QUOTED or value == value.upper():
        return False  # capitals and digits: a number of a ticket, licence or the like
    if _DIGEST.match(value) or not looks_machine_made(value) or _encodes_text(value):
        return False
    match = _assigned().search(preceding_text)
    if match is None:
        return _is_literal(value, preceding_text)
    if _HARMLESS.fullmatch(match["name"]) or _is_harmless_end(match["name"]):
        return False
    return bool(match["quote"]) or _is_bare_key(value, match)


def _is_literal(value: str, before: str) -> bool:
    """Whether it is quoted after a word, or an argument: there the value must look more random."""
    if before[-1:] not in {'"', "'", "`"}:
        return False
    word = _spoken().search(before)
    if word:
        return len(value) >= _SHORTEST_VALUE and word[1] not in _WORDS
    argument = before[:-1].rstrip()[-1:] in {"(", ","}
    return argument and len(value) >= _SHORTEST_ARGUMENT and has_mixed_case_and_digits(value)


def _is_harmless_end(name: str) -> bool:
    word = name.replace("-", "_").replace(".", "_").rsplit("_", 1)[-1]
    return _HARMLESS.fullmatch(word) is not None or name.endswith(("id", "hash", "sum", "nonce"))


def _is_bare_key(value: str, match: re.Match[str]) -> bool:
    """Whether an unquoted value is one run of letters and digits, and not part of an address."""
    start = match.start()
    return (
        len(value) >= _SHORTEST_VALUE
        and value.isalnum()
        and (has_mixed_case_and_digits(value) or (match[0].endswith("=") and " " not in match[0]))
        and match.string[start - 1 : start] not in {"?", "&", "/", "%", "#"}
    )


def _encodes_text(value: str) -> bool:
    """Whether it is base64 of readable text."""
    plain = decode_base64(value)
    return bool(plain) and plain.isascii()
