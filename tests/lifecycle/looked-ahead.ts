import { createHarness, type Harness, type Process } from "./harness";

/** What previews look up before a create, and what the service says to the same create. */

export const open8b = "accounts/platform/models/open-8b";
export const open70b = "accounts/platform/models/open-70b";
export const vision = "accounts/platform/models/vision-12b";
export const all = {
  allowServerless: true,
  allowDedicatedDeployments: true,
  allowTraining: true,
  allowServerlessFast: true,
};
export const deployment = { baseModel: open8b, deploymentShape: "default" };
export const job = { baseModel: open8b, dataset: "accounts/acme/datasets/tickets" };

export let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

export const looking = (): Process => at.process();
export const blind = (): Process => at.process({ preflight: "false" });

export const policy = (sections: object) =>
  at.put("accounts/acme/policySettings", { ...sections, updateTime: "2026-01-01T00:00:00Z" });

/** What the check says, or an empty text where it has nothing to say. */
export const complaint = (kind: string, inputs: object, process = looking()): Promise<string> =>
  process.check(kind, "it", { ...inputs }).then(
    () => "",
    (error: Error) => error.message,
  );

/** What the service says to the same request. */
export const refusal = (kind: string, inputs: object): Promise<string> =>
  blind()
    .create(kind, "it", { ...inputs })
    .then(
      () => "",
      (error: Error) => error.message,
    );
