"""Keys that only their provider's name gives away: ``MAILGUN = "..."``, ``weatherbit 3f0...``.

The names are facts taken from the rule files of gitleaks (MIT), Nosey Parker and Kingfisher (both
Apache 2.0) and from TruffleHog's list of providers, less those that are everyday words. A value
comes first: a long run of letters and digits is looked at, then the few characters before it, so
that a text costs time in proportion to its candidates, however many names there are.
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
robinhood rocketreach rockset rootly route4me rownd rubygems runrunit saladcloud salesblink
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
survicate swiftype tailscale tallyfy tatum tatumio tavily taxjar teamcity teamgate teamworkcrm
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
    r"\s[\"'`]|"
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
