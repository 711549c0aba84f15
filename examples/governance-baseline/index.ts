import * as pulumi from "@pulumi/pulumi";
import { PolicySettings, Provider, User } from "pulumi-modelplatform";

/** What holds in every account of the company. */
class Baseline extends pulumi.ComponentResource {
  readonly policy: pulumi.Output<string>;

  constructor(
    name: string,
    args: { residency: "EUROPE" | "US"; auditor: string },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("governance:index:Baseline", name, {}, opts);
    const policy = new PolicySettings(
      `${name}-policy`,
      {
        defaultPermissions: {
          allowServerless: true,
          allowServerlessFast: false,
          allowDedicatedDeployments: true,
          allowTraining: false,
        },
        residency: args.residency,
        zeroDataRetention: { defaultEnforced: true },
        onDelete: "restorePrevious",
        allowLoosening: true,
      },
      { parent: this },
    );
    new User(`${name}-auditor`, { email: args.auditor, role: "inference-user" }, { parent: this, dependsOn: policy });
    this.policy = policy.name;
    this.registerOutputs({ policy: this.policy });
  }
}

const config = new pulumi.Config();
const auditor = config.get("auditor") ?? "audit@example.com";
const accounts = { "acme-eu": "EUROPE", "acme-us": "US" } as const;

export const policies = Object.entries(accounts).map(([accountId, residency]) => {
  // A key opens one account. One that is refused leaves the other accounts as they are.
  const apiKey = config.getSecret(`${accountId}-key`) ?? pulumi.secret(`${accountId}-key`);
  const provider = new Provider(accountId, { accountId, apiKey });
  return new Baseline(accountId, { residency, auditor }, { providers: [provider] }).policy;
});
