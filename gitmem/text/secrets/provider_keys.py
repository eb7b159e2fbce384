"""Keys that only their provider's name gives away: ``MAILGUN = "..."``, ``weatherbit 3f0...``.

The names are facts taken from the rule files of gitleaks (MIT), Nosey Parker and Kingfisher (both
Apache 2.0), less those that are everyday words. A value comes first: a long run of letters and
digits is looked at, then the few characters before it, so that a text costs time in proportion to
its candidates, however many names there are.
"""

from __future__ import annotations

import functools
import re

from gitmem.text.secrets import stretches
from gitmem.text.secrets.secret_checks import lettered, machine_made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int, str]

_NAMES = """
ably adafruit adafruitio adobe airbrake airtable aiven alchemy algolia alibaba anthropic
anypoint apifonica apify apilayer apimetrics apitemplate appfollow appointedd appoptics
appsynergy artifactory asana assemblyai atera atlassian audd authress autoklose autopilot avaza
aviationstack axonaut ayrshare azure azuredevops azureopenai azuresearchquery azurestorage
bannerbear baremetrics beamer beebole besnappy besttime betterstack bintray bitbar bitbucket
bitcoinaverage bitfinex bitly bittrex blazemeter blitapp blocknative blynk bombbomb borgbase
brandfetch browserstack browshot bscscan buddyns budibase bugherd bugsnag buildkite bulbul
buttercms caflou calendarific calendly calorieninja campayn cannyio capsulecrm carboninterface
centralstationcrm chartmogul chatfuel chatfule checio checklyhq circleci clarifai clearbit
clickhouse clickup cliengo clockify clojars closecrm cloudconvert cloudflare cloudimage
cloudinary cloudmersive cloudplan cloudsight cloudsmith cloverly clustdoc coapi codacy
codeclimate codecov codemagic codequiry cohere coinbase coinlayer coinlib commercejs confluent
contentful conversiontools convertkit countrylayer coveralls craftmypdf crossref crowdin
cryptocompare currencyfreaks currencylayer currencyscoop d7network dailyco dareboost databox
databricks datadog datagov deepai deepgram definednetworking dependencytrack detectify
detectlanguage dfuse diggernaut digitalocean discord disqus dockerhub documo doppler dronahq
drone droneci dropbox duffel dynalist dynatrace dyspatch eagleeyenetworks easypost ecostruxureit
edenai elastic elasticemail elevenlabs etherscan ethplorer etsy eventbrite everhour facebook
fastforex fastly feedier fetchrss figma fileio financialmodelingprep findl finicity finnhub
firecrawl fixerio flatio fleetbase flexport flickr flightlabs flutterwave flyio formbucket
formcraft foursquare frameio freemius freshbooks fullstory fxmarket geckoboard geoapify
geocodify geoipifi getemail getgeo getgist getresponse gitalk github gitlab gitter glassnode
gocardless goodday google grafana graphhopper groovehq groq gtmetrix gumroad gyazo happyscribe
hashicorp hashicorpvault hellosign helpcrunch helpscout heroku hiveage honeycomb html2pdf
hubspot huggingface hybiscus iconfinder iexcloud imagekit infracost infura insightly instabot
intercom interseller intra42 intrinio ip2location ipgeolocation ipifi ipinfo ipinfodb ipquality
ipstack jenkins jfrog jira jotform jumpcloud jupiterone karmacrm kickbox klaviyo klipfolio
knapsackpro kontent kraken kucoin kylas languagelayer launchdarkly leadfeeder lemlist
lemonsqueezy lendflow lessannoyingcrm lexigram linear linenotify linkedin linkpreview livestorm
loadmill loginradius logzio lokalise looker loyverse ltai lunchmoney madkudu mailboxlayer
mailchimp mailerlite mailgun mailjet mailmodo mailsac mailtrap mandrill mapbox mapquest
marketstack mattermost mavenlink maxmind maxmindlicense mediastack meistertask meraki mesibo
messagebird metrilo microsoftteams mindmeister mistral mixmax mockaroo monkeylearn moonclerk
moosend moralis myintervals nasdaq nasdaqdatalink netlify newrelic newscatcher newyorktimes
nftport ngrok nicereply nightfall notion nozbeteams numverify nylas nytimes oanda octopusdeploy
okta omnisend onesignal oopspam openai opencagedata openuv openweather opsgenie optimizely
overloop owlbot packagecloud pagarme pagerduty pandadoc pandascore paralleldots parseur
partnerstack pastebin paydirtapp paymoapp paymongo paypal paystack pdflayer pdfshift
peopledatalabs pepipost perplexity pinecone pipedrive pixabay plaid planetscale polygon
positionstack postageapp posthog postman postmark powrbot privateai prodpad prospectcrm
protocolsio proxycrawl pubnub pulumi pushbullet qualaroo qubole rabbitmq rapidapi rawg reachmail
readme reallysimplesystems rebrandly replyio requestfinance restpack restpackhtmltopdf
restpackscreenshot ritekit rocketreach rockset route4me salesblink salescookie salesflare
salesforce sauce scaleway scalingo scrapeowl scraperbox scrapestack scrapfly scrapingant
scrapingbee screenshotlayer scrutinizer scrutinizerci securitytrails segmentio selectpdf
sendbird sendgrid sendinblue sentry serphouse serpstack settlemint sherpadesk shipday shippo
shodan shopify shotstack shutterstock sidekiq signaturit signupgenius sigopt simfin simplesat
simplynoted simvoly skrapp skrappio slack smartsheets snipcart snowflake snyk sonar sonarcloud
sonarqube sourcegraph sparkpost speechtext speechtextai splunk spoonacular sportsmonk spotify
squarespace sslmate stackhawk stackoverflow statuscake statuspage statuspal stitchdata stockdata
storecove stormboard stormglass storyblok storychief stripe stripo sumo sumologic supabase
supernotes surveybot surveysparrow survicate swiftype tailscale tallyfy tatum tatumio tavily
taxjar teamcity teamworkcrm teamworkdesk teamworkspaces technicalanalysis telegram teletype
telnyx terraform terraformcloud thingsboard ticketmaster tickettailor timecamp tines tmetric
todoist toggl toggltrack tomtom tradier transferwise travelpayouts travis travisci trello
truenas twelvedata twilio twitch twitter tyntec typeform ubidots uclassify unplu unplugg
unsplash upcdatabase uplead uptimerobot upwave urlscan userflow userstack vagrant vagrantcloud
vatlayer vercel verimail veriphone versioneye viewneo virustotal visualcrossing voiceflow
voicegain voodoo vultr vyte walkscore wandb weatherbit weatherstack web3storage webflow
webscraper webscraping weightsandbiases whoxy wistia worksnaps workstack worldcoinindex
worldweather wrike yandex yelp youneedabudget yousign youtube zapier zendesk zenkit zenrows
zenscrape zeplin zerobounce zerotier zipcodebase zohocrm zonka zonkafeedback
"""
_SHORTEST_NAME = 4
_LONGEST_NAME = 22
_LOOK_BACK = 72
# What stands between a name and its key: the rest of the label, an operator, a quote. What says
# that the value is a digest, a version or an address ends the search.
_NOT_A_KEY = (
    r"sha\d|sha\b|h1:|\.(?:com|org|io|net|dev)\b|rev\b|commit|hash|digest|check|integrity|image"
    r"|version|url|http|public|_id\b|@|//"
)
_ASSIGNED = re.compile(
    rf"(?:(?!{_NOT_A_KEY})[\w .-]){{0,40}}[\"'`]?[\])]?\s{{0,4}}"
    r"(?:=>|:{1,3}=|[?.+]=|\|\||[:=,>|]|\s-|,\s?\"value\":)\s{0,20}(?:[urb@]?[\"'`]|\{)?\s?"
)
_NEAR = re.compile(rf"(?:(?!{_NOT_A_KEY})[^\n]|\n(?![^\n]*\n)){{0,60}}")
_NO_KEY = re.compile(r"[A-Za-z]+(?:[_-][A-Za-z]*\d{0,3})+|[\d_:+-]+T?[\d_:+-]*Z?")  # names, dates


@functools.cache
def _candidate() -> re.Pattern[str]:
    """A run with a digit among its first characters, which no dot, slash or at sign leads to."""
    return re.compile(
        r"(?<![\w+/.@-])(?=[A-Za-z_+/-]{0,24}[0-9])\w[\w+/-]{15,127}+={0,2}(?![\w(/]|\.\w)",
        re.ASCII,
    )


@functools.cache
def _names() -> frozenset[str]:
    return frozenset(_NAMES.split())


def find(text: str, low: str) -> list[Span]:
    """Spans of keys after a provider's name. ``low`` is ``text`` in lower case and just as long."""
    return [
        (*match.span(), "api-key")
        for match in _candidates(text)
        if _is_key(match[0], low[max(0, match.start() - _LOOK_BACK) : match.start()])
    ]


def _candidates(text: str) -> Iterator[re.Match[str]]:
    """What could be a key: in a long text, of the stretches with a digit."""
    candidate = _candidate()
    if len(text) <= stretches.WORTH_IT:
        yield from candidate.finditer(text)
        return
    able = stretches.find(text)
    if not candidate.search(able.numbered):
        return
    for start, end in able.spans:
        # The pattern looks at two characters behind the key.
        yield from candidate.finditer(text, start, min(end + 2, len(text)))


def _is_key(value: str, before: str) -> bool:
    gap = _after_name(before)
    if gap is None or not lettered(value) or _NO_KEY.fullmatch(value):
        return False
    if _ASSIGNED.fullmatch(gap):
        return len(value) >= 20 or machine_made(value)
    return machine_made(value) and _NEAR.fullmatch(gap) is not None


def _after_name(before: str) -> str | None:
    """What follows the last name of a provider; None without one."""
    names = _names()
    for word in reversed(_word().findall(before)):
        if word[:_SHORTEST_NAME] not in _beginnings():
            continue
        for length in range(min(_LONGEST_NAME, len(word)), _SHORTEST_NAME - 1, -1):
            if word[:length] in names:
                return before[before.rindex(word) + length :]
    return None


@functools.cache
def _word() -> re.Pattern[str]:
    return re.compile("[a-z][a-z0-9_]{3,}")


@functools.cache
def _beginnings() -> frozenset[str]:
    return frozenset([name[:_SHORTEST_NAME] for name in _names()])
