import { account, apiKey, passphrase } from "../site";

/** Keys of accounts, as a forge's secret holds them. */
export const keys = JSON.stringify({ [account]: { apiKey } });

/** What `${{ … }}` stands for in every workflow. */
export const expressions = {
  "secrets.MODELPLATFORM_ACCOUNTS": keys,
  "secrets.MODELPLATFORM_READ_ACCOUNTS": keys,
  "secrets.PULUMI_CONFIG_PASSPHRASE": passphrase,
  "secrets.PULUMI_ACCESS_TOKEN": "",
  "github.token": "github-token",
  "github.repository": "acme/platform",
};
