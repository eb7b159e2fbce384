"""Further formats of secrets, published by providers and scanners: see ``secret_rules``.

The last ones belong to no provider: a short word, a mark and a random run.
"""

from __future__ import annotations

from gitmem.text.secrets.secret_checks import (
    NOT_BEFORE_A_WORD,
    NOT_INSIDE_A_WORD,
    UUID,
    Rule,
    has_letters_and_digits,
    has_mixed_case,
    has_mixed_case_and_digits,
    has_random_tail,
    looks_random,
)

_B, _E, _UUID = NOT_INSIDE_A_WORD, NOT_BEFORE_A_WORD, UUID


def _drawn(token: str) -> bool:
    """``mixed``, and with as many different characters as a long random run has."""
    return len(set(token)) >= 24 and has_mixed_case_and_digits(token)


PUBLISHED: tuple[Rule, ...] = (
    Rule("vault-token", ("s.", "b.", "r."),
         r"(?<![\w.-])(?:[sbr]\.[\w-]{24,300}+(?![\w(]))", has_mixed_case, near="run"),
    Rule("vault-token", ("s.",), r"(?<![\w.-])s\.[A-Za-z0-9]{24}(?![\w(.])", has_letters_and_digits,
         near="number"),
    Rule("duffel-token", ("duffel_",), rf"{_B}duffel_(?:live|test)_[\w-]{{43}}(?![\w-])"),
    Rule("sumup-key", ("sup_sk_",), rf"{_B}sup_sk_[A-Za-z0-9]{{32}}{_E}"),
    Rule("trigger-dev-key", ("tr_",),
         rf"{_B}tr_(?:prod|dev|stg|preview)_[A-Za-z0-9]{{20,24}}{_E}"),
    Rule("deno-token", ("ddp_", "ddo_", "ddw_"), rf"{_B}dd[pow]_[A-Za-z0-9]{{36}}{_E}"),
    Rule("tinybird-token", ("p.ey",), rf"{_B}p\.eyJ[\w-]{{20,400}}\.[\w-]{{20,80}}+"),
    Rule("mapbox-token", ("k.ey",), rf"{_B}[pst]k\.eyJ[\w-]{{20,200}}\.[\w-]{{20,40}}+"),
    Rule("fcm-key", (":apa91b",), rf"{_B}[\w-]{{11,22}}:APA91b[\w-]{{60,200}}+", has_random_tail),
    Rule("facebook-token", ("eaa",), rf"{_B}EAA[A-Za-z0-9]{{60,400}}+(?![\w+=-])",
         has_letters_and_digits),
    Rule("facebook-token", ("|",),
         r"(?<![0-9|])[0-9]{13,17}(?:\||%7C)[\w-]{27,40}(?![\w-])", looks_random, near="number"),
    Rule("twitter-token", ("aaaaaaaaaaaaaaaaaaaa",),
         rf"{_B}A{{20,24}}[A-Za-z0-9%]{{60,110}}(?![\w%+=])", has_random_tail),
    Rule("twitter-token", ("-",),
         r"(?<![\w-])[0-9]{10,20}-[A-Za-z0-9]{40,50}(?![\w-])", has_mixed_case, near="number"),
    Rule("okta-token", ("okta", "ssws"), r"(?<![\w-])00[\w-]{40}(?![\w-])", has_letters_and_digits,
         near="number"),
    Rule("bedrock-key", ("absk",), rf"{_B}ABSK[A-Za-z0-9+/]{{100,270}}+={{0,2}}", has_random_tail),
    Rule("bedrock-key", ("bedrock-api-key-",), rf"{_B}bedrock-api-key-[\w+/=-]{{20,2000}}+"),
    Rule("amazon-mws-token", ("amzn.mws.",), rf"{_B}amzn\.mws\.{_UUID}"),
    Rule("alibaba-key-id", ("ltai",), rf"{_B}LTAI[A-Za-z0-9]{{12,26}}{_E}", has_mixed_case),
    Rule("tencent-key-id", ("akid",), rf"{_B}AKID[A-Za-z0-9]{{32}}{_E}", has_letters_and_digits),
    Rule("adobe-secret", ("p8e-",), rf"{_B}p8e-[A-Za-z0-9_-]{{28,32}}{_E}"),
    Rule("asana-token", ("/",),
         rf"(?<![0-9])[012]/[0-9]{{10,17}}(?:/[0-9]{{10,17}})?:[0-9a-f]{{32}}{_E}", near="number"),
    Rule("authress-key", (".acc",),
         rf"{_B}(?:sc|ext|scauth|authress)_[A-Za-z0-9]{{5,30}}\.[A-Za-z0-9]{{4,6}}\.acc[_-]"
         rf"[\w-]{{10,32}}\.[\w+/=-]{{30,120}}+"),
    Rule("bitbucket-token", ("bbdc-",), rf"{_B}BBDC-[\w+/@-]{{40,50}}+"),
    Rule("braintree-token", ("access_token$",),
         r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    Rule("clickhouse-key", ("4b1d",), rf"{_B}4b1d[A-Za-z0-9]{{38}}{_E}", has_mixed_case),
    Rule("clojars-token", ("clojars_",), rf"{_B}(?i:clojars_)[a-z0-9]{{60}}{_E}"),
    Rule("cloudflare-key", ("v1.0-",), rf"{_B}v1\.0-[0-9a-z]{{24}}-[0-9a-z]{{146}}"),
    Rule("cloudflare-key", ("cfut_", "cfat_", "cfk_"),
         rf"{_B}cf(?:ut|at|k)_[A-Za-z0-9]{{40,48}}{_E}"),
    Rule("contentful-token", ("cfpat-",), rf"{_B}CFPAT-[\w-]{{43}}"),
    Rule("dnkey", ("dnkey-",), rf"{_B}dnkey-[\w=-]{{26}}-[\w=-]{{52}}"),
    Rule("dependency-track-key", ("odt_",), rf"{_B}odt_[A-Za-z0-9_]{{32,255}}+"),
    Rule("dynatrace-token", ("dt0",),
         rf"{_B}dt0[a-z][0-9]{{2}}\.[A-Za-z0-9]{{24}}\.[A-Za-z0-9]{{64}}{_E}"),
    Rule("flutterwave-key", ("flwseck",), rf"{_B}FLWSECK(?:_TEST)?-[a-zA-Z0-9]{{12,40}}(?:-X)?"),
    Rule("fly-token", ("fm1",), rf"{_B}fm1[ar]_[A-Za-z0-9+/]{{60,2000}}+={{0,3}}"),
    Rule("grafana-token", ("eyjrijoi",), rf"{_B}eyJrIjoi[A-Za-z0-9+/]{{60,400}}+={{0,3}}"),
    Rule("harness-key", ("at.",),
         rf"{_B}[ps]at\.[\w-]{{22}}\.[A-Za-z0-9]{{24}}\.[A-Za-z0-9]{{20}}{_E}"),
    Rule("hubspot-token", ("pat-",), rf"{_B}pat-(?:na|eu|ap)[0-9]-{_UUID}"),
    Rule("intra42-secret", ("s-s4t2",), rf"{_B}s-s4t2(?:ud|af)-[0-9a-f]{{64}}"),
    Rule("langfuse-key", ("sk-lf-",), rf"{_B}sk-lf-{_UUID}"),
    Rule("launchdarkly-key", ("sdk-", "api-"), rf"{_B}(?:sdk|api)-{_UUID}"),
    Rule("maxmind-key", ("_mmk",), rf"{_B}[A-Za-z0-9]{{6}}_[A-Za-z0-9]{{29}}_mmk{_E}"),
    Rule("new-relic-key", ("nrii-", "nrjs-", "nriq-", "nral"),
         rf"{_B}(?:NR(?:II|JS|IQ)-[\w-]{{19,40}}+|[0-9A-Za-z]{{6}}[0-9a-f]{{30}}NRAL){_E}"),
    Rule("octopus-key", ("api-",), rf"{_B}API-[A-Z0-9]{{25,36}}{_E}", has_letters_and_digits),
    Rule("openshift-token", ("sha256~",), rf"{_B}sha256~[\w-]{{43}}(?![\w-])"),
    Rule("plaid-token", ("access-",),
         rf"{_B}access-(?:sandbox|development|production)-{_UUID}"),
    Rule("salesforce-token", ("!",),
         rf"{_B}00[A-Za-z0-9]{{13,16}}![\w.]{{60,120}}+", has_random_tail, near="number"),
    Rule("scalingo-token", ("tk-us-",), rf"{_B}tk-us-[\w-]{{48}}"),
    Rule("sendinblue-key", ("xsmtpsib-",), rf"{_B}xsmtpsib-[0-9a-f]{{64}}-[A-Za-z0-9]{{16}}"),
    Rule("settlemint-token", ("sm_",), rf"{_B}sm_[aps]at_[A-Za-z0-9]{{16}}{_E}"),
    Rule("shippo-token", ("shippo_",), rf"{_B}shippo_(?:live|test)_[0-9a-fA-F]{{40}}"),
    Rule("slack-token", ("xoxd-",), rf"{_B}xoxd-[\w%+/=-]{{20,500}}+"),
    Rule("square-token", ("eaaa",), rf"{_B}EAAA[\w-]{{22,60}}(?![\w+/=-])", has_mixed_case,
         near="run"),
    Rule("stripe-key", ("k_prod_",), rf"{_B}[sr]k_prod_[A-Za-z0-9]{{16,250}}+"),
    Rule("trello-token", ("atta",), rf"{_B}ATTA[0-9a-f]{{64,76}}{_E}"),
    Rule("truenas-key", ("-",),
         r"(?<![\w-])[0-9]{1,3}-[A-Za-z0-9]{64}(?![\w-])", has_mixed_case, near="number"),
    Rule("twitch-key", ("live_",), rf"{_B}live_[0-9]{{8,12}}_[A-Za-z0-9]{{28,36}}{_E}"),
    Rule("typeform-token", ("tfp_",), rf"{_B}tfp_[\w.=-]{{40,64}}+"),
    Rule("wakatime-key", ("waka_",), rf"{_B}waka_{_UUID}"),
    Rule("yandex-token", ("t1.", "aqvn", "y0_"),
         rf"{_B}(?:t1\.[\w-]{{20,400}}+={{0,2}}\.[\w-]{{86}}={{0,2}}|AQVN[\w-]{{35,38}}"
         rf"|y0_[\w-]{{50,64}})(?![\w-])"),
    Rule("zoho-token", ("1000.",), rf"{_B}1000\.[0-9a-f]{{32}}\.[0-9a-f]{{32}}{_E}"),
    Rule("api-key", ("sk_", "sess-", "re_", "rnd_", "fw_", "ico-", "md-", "pnu_"),
         rf"{_B}(?:sk_[0-9a-f]{{48}}|sess-[A-Za-z0-9]{{40}}"
         rf"|re_[A-Za-z0-9]{{8}}_[A-Za-z0-9]{{24}}|rnd_[A-Za-z0-9]{{28,40}}"
         rf"|fw_[A-Za-z0-9]{{22,40}}|ico-[A-Za-z0-9]{{32}}|md-[\w-]{{22}}"
         rf"|pnu_[A-Za-z0-9]{{36}}){_E}", looks_random),
    Rule("api-key", ("duffel_", "fio-u-", "rdme_", "nvapi-", "pcsk_", "tvly-", "jina_",
           "apify_api_", "avns_", "ccdb1_", "ccipat_", "ccipr", "mlsn.", "napi_", "phx_", "phc_",
           "csk-", "rpa_", "tgp_v1_", "vercel_", "xau_", "plak", "zpka_", "essu_", "snyk_",
           "waka_"),
         rf"{_B}(?:duffel_(?:test|live)_|fio-u-|rdme_|nvapi-|pcsk_|tvly-(?:dev-|prod-)?|jina_"
         rf"|apify_api_"
         r"|AVNS_|CCDB1_|CCIP(?:AT|RJ)_|mlsn\.|napi_|ph[cx]_|csk-|rpa_|tgp_v1_"
         r"|vercel_blob_rw_|xau_|PLAK|zpka_|essu_|snyk_(?:uat|sat)\.)[\w.=-]{16,200}+",
         has_letters_and_digits),
    Rule("zapier-webhook", ("hooks.zapier.com",),
         r"hooks\.zapier\.com/hooks/catch/[0-9]{3,12}/([\w/]{6,40}+)"),
    Rule("deepl-key", (":fx",), rf"{_B}{_UUID}:fx{_E}"),
    Rule("jetbrains-token", ("perm-", "perm:"),
         rf"{_B}perm[-:][A-Za-z0-9+/=]{{4,40}}\.[A-Za-z0-9=-]{{2,40}}\.[A-Za-z0-9]{{28,60}}{_E}"),
    Rule("cursor-key", ("key_",), rf"{_B}key_[0-9a-f]{{64}}{_E}"),
    Rule("convex-key", ("prod:", "dev:", "preview:"),
         rf"{_B}(?:prod|dev|preview):[a-z]{{2,20}}-[a-z]{{2,20}}-[0-9]{{1,4}}\|"
         r"[A-Za-z0-9+/=]{40,200}+"),
    Rule("backblaze-key", ("k00",), rf"{_B}K00[0-9][A-Za-z0-9+/]{{27}}(?![\w+/])", has_mixed_case),
    Rule("minisign-key", ("rwrty0iy",),
         rf"{_B}RWRTY0Iy[A-Za-z0-9+/]{{100,300}}+={{0,2}}", has_random_tail),
    Rule("intercom-token", ("dg9ro",), rf"{_B}dG9rO[A-Za-z0-9+/]{{40,60}}+={{0,2}}",
         has_mixed_case),
    Rule("honeycomb-key", ("ik_",), rf"{_B}hc[a-z]ik_[0-9a-z]{{50,64}}{_E}"),
    Rule("packagist-token", ("packagist_",), rf"{_B}packagist_[a-z]{{3}}_[0-9a-f]{{60,80}}{_E}"),
    Rule("anaconda-token", ("/t/",), rf"/t/([a-z]{{2}}-{_UUID})(?=/)"),
    Rule("scaleway-key", ("scw",), rf"{_B}SCW[A-Z0-9]{{17}}{_E}", has_letters_and_digits),
    Rule("google-api-key", ("aq.ab",), rf"{_B}AQ\.Ab[\w-]{{40,60}}(?![\w-])"),
    Rule("e2b-key", ("e2b_",), rf"{_B}e2b_[0-9a-f]{{40}}{_E}"),
    Rule("api-key", ("bb_live_", "bb_test_", "rzp_live_", "rzp_test_", "ory_at_", "ory_pat_",
           "os_v2_app_", "tr_dev_", "tr_prod_", "tr_pat_", "signkey-", "pnb_", "phs_", "dbtc_",
           "dbtu_", "wpl_ap1.", "vk1.a.", "bkat_", "bkct_", "bkpi_", "figu_", "figo_", "figr_",
           "shpua_", "shptka_", "sk_org_", "vck_", "wandb_v1_", "sk-helicone-",
           "secret-live-", "pdus+", "altak-", "fna", "cflt"),
         rf"{_B}(?:bb_(?:live|test)_|rzp_(?:live|test)_|ory_(?:at|pat)_|os_v2_app_"
         r"|tr_(?:dev|prod|pat)_|signkey-(?:prod|test|staging|branch)-|pnb_|phs_|dbt[cu]_"
         r"|WPL_AP1\.|vk1\.a\.|bk(?:at|ct|pi)_|fig[uor]_|shpua_|shptka_|sk_org_(?:live|test)_"
         r"|vck_|wandb_v1_|sk-helicone-|secret-live-|pdus\+|(?:bce-v3/)?ALTAK-|fnA|cflt)"
         r"[\w+/.=-]{16,300}+", has_letters_and_digits),
    Rule("ngrok-token", ("_",), r"(?<![\w-])[0-9][A-Za-z0-9]{26}_[A-Za-z0-9]{21,24}(?![\w-])",
         has_mixed_case_and_digits, near="number"),
    Rule("clickup-token", ("pk_",), rf"{_B}pk_[0-9]{{5,12}}_[A-Z0-9]{{32}}{_E}"),
    Rule("ghost-key", (":",), rf"{_B}[0-9a-f]{{24}}:[0-9a-f]{{64}}{_E}", near="number"),
    Rule("bitwarden-token", ("0.",), rf"{_B}0\.{_UUID}\.[A-Za-z0-9]{{30}}:[\w+/]{{22}}=="),
    Rule("infisical-token", ("st.",),
         rf"{_B}st\.[0-9a-f]{{24}}\.[0-9a-f]{{32}}\.[0-9a-f]{{32}}{_E}"),
    Rule("ably-key", (":",),
         rf"{_B}[\w-]{{6}}\.[\w-]{{6}}:[\w-]{{43}}(?![\w-])", has_mixed_case_and_digits,
         near="run"),
    Rule("webhook", ("maker.ifttt.com",),
         r"maker\.ifttt\.com/trigger/[\w-]{1,60}+/(?:json/)?with/key/([\w-]{20,60}+)"),
    Rule("webhook", (".make.com/",), r"hook\.[a-z0-9]{2,4}\.make\.com/([a-z0-9]{24,40})",
         has_letters_and_digits),
    # The outer form of a JWT with other parts: encrypted, or of another kind.
    Rule("token", (".",),
         r"(?<![\w.+/-])(?=[\w-]{0,60}[0-9])[\w-]{30,400}+(?:\.[\w-]{24,8000}+){2,4}(?![\w.(])",
         _drawn, near="run"),
    Rule("token", ("_", "-"),
         r"(?<![\w.+/@-])(?!(?i:sha|md5|rev|commit|hash|id|etag|git|blob|tree|build|cache|ref|tag|image"
         r"|layer|node|chunk|main|index|key|version|v\d|app|bundle|style|vendor)[_\d-])"
         r"[A-Za-z]{2,10}(?:_(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{48}|[0-9a-f]{64})"
         r"|-(?:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64}))(?![\w/=-]|\.\w)",
         has_letters_and_digits, near="number"),
    Rule("new-relic-key", ("nrra-", "nrsp-", "px-api-", "px-dep-"),
         rf"{_B}(?:NRRA-[0-9a-f]{{42}}|NRSP-[a-z]{{2}}[0-9]{{2}}[0-9a-f]{{31}}|px-(?:api|dep)-{_UUID})"),
    Rule("databricks-token", ("dkea", "dose", "dsapi"),
         rf"{_B}(?:dkea|dose|dsapi)[0-9a-f]{{32}}(?:-[0-9])?{_E}"),
    Rule("segment-token", ("sgp_",), rf"{_B}sgp_[A-Za-z0-9]{{64}}{_E}"),
    Rule("vercel-token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"),
         rf"{_B}vc[piark]_[A-Za-z0-9]{{24,80}}+"),
    Rule("tailscale-key", ("tskey-",),
         rf"{_B}tskey-(?:[a-z]{{2,12}}-)?[A-Za-z0-9]{{8,64}}(?:-\w{{8,80}})?"),
    Rule("license-key", ("-",), r"(?<![\w-])[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}(?![\w-])",
         has_letters_and_digits, near="run"),
    # A short word, a mark and a long run in random case, as most providers make tokens now; and
    # the ids of sessions, messages and parts in OpenCode, which begin with the time.
    Rule("token", ("_", "-"),
         r"(?<![\w.+-])(?!sha\d|(?:ses|msg|prt)_[0-9a-f]{12}[A-Za-z0-9]{14}(?!\w))[A-Za-z][A-Za-z0-9]{1,11}[_-]"
         r"(?:[A-Za-z0-9]{1,8}[_-]){0,2}[A-Za-z0-9]{26,200}(?![\w+=-])",
         has_mixed_case_and_digits, near="number"),
    Rule("token", (".",),
         r"(?<![\w+/.@-])[A-Za-z]{2,8}\.(?:[A-Za-z0-9_-]{1,24}\.)?[A-Za-z0-9_-]{32,200}"
         r"(?![\w(=-]|\.\w)", has_mixed_case_and_digits, near="number"),
)  # fmt: skip
