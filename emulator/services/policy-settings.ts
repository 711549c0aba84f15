import { geographies } from "../../provider/resources/regions";
import { failedPrecondition, permissionDenied } from "../refusals";
import type { Fields, World } from "../types";
import type { Service } from "./service";

/** What an account's policy forbids (A064). Each refusal carries its reason. */
type Permission = "allowDedicatedDeployments" | "allowTraining";

const policyOf = (world: World, account: string): Fields =>
  world.get(`accounts/${account}/policySettings`)?.fields ?? {};

/** A model's own row replaces the defaults as a whole; without either everything is allowed. */
function allows(policy: Fields, model: string, permission: Permission): boolean {
  const rules = (policy["rules"] ?? []) as { model: string; permissions: Fields }[];
  const row =
    rules.find((rule) => rule.model === model)?.permissions ?? (policy["defaultPermissions"] as Fields | undefined);
  return row === undefined || row[permission] === true;
}

function enforces(policy: Fields, scope: "training" | "inference"): boolean {
  const retention = (policy["zeroDataRetention"] ?? {}) as Fields;
  const enforcement = (retention[scope] as Fields | undefined)?.["enforcement"];
  return enforcement === "ENFORCED" || (enforcement !== "NOT_ENFORCED" && retention["defaultEnforced"] === true);
}

const forbiddenError = (reason: string, message: string) => failedPrecondition(`${message} (${reason})`, reason);

export function rejectForbiddenDeployment(
  world: World,
  account: string,
  model: string,
  placement: Fields | undefined,
): void {
  const policy = policyOf(world, account);
  if (!allows(policy, model, "allowDedicatedDeployments"))
    throw forbiddenError(
      "POLICY_DEDICATED_DEPLOYMENTS_NOT_ALLOWED",
      `the account's policy does not allow dedicated deployments of ${model}`,
    );
  const residency = residencyOf(world, account);
  const outside =
    residency === undefined ? [] : placesIn(placement).filter((place) => geographyOf(place) !== residency);
  if (outside.length > 0)
    throw forbiddenError(
      "POLICY_RESIDENCY",
      `the account's policy keeps serving in ${residency}, and ${outside.map((place) => `\`${place}\``).join(", ")} is outside`,
    );
}

export function rejectForbiddenTraining(world: World, account: string, model: string): void {
  const policy = policyOf(world, account);
  if (enforces(policy, "training"))
    throw forbiddenError(
      "POLICY_ZERO_DATA_RETENTION",
      "the account's policy enforces zero data retention for training, which retains datasets and weights",
    );
  if (!allows(policy, model, "allowTraining"))
    throw forbiddenError("POLICY_TRAINING_NOT_ALLOWED", `the account's policy does not allow training of ${model}`);
}

/**
 * The description counts uploads to the work that retains content; whether a
 * model's weights are meant, it does not say (A064).
 */
export function rejectRetainedUpload(world: World, account: string): void {
  if (enforces(policyOf(world, account), "inference"))
    throw forbiddenError(
      "POLICY_ZERO_DATA_RETENTION",
      "the account's policy enforces zero data retention for inference, which refuses uploads",
    );
}

const everywhere: ReadonlySet<unknown> = new Set([undefined, "", "MULTI_REGION_UNSPECIFIED", "GLOBAL"]);

/** The one geography that the account serves from; undefined is any. */
export function residencyOf(world: World, account: string): string | undefined {
  const residency = policyOf(world, account)["residency"];
  return everywhere.has(residency) ? undefined : String(residency);
}

/** What a placement asks for; an empty one conflicts with no residency. */
function placesIn(placement: Fields | undefined): string[] {
  const { region, multiRegion, regions } = placement ?? {};
  return [region, multiRegion, ...((regions ?? []) as unknown[])].filter(
    (place): place is string => typeof place === "string" && place !== "" && !place.endsWith("_UNSPECIFIED"),
  );
}

/** The geography of a region; a geography is its own. */
export const geographyOf = (place: string): string =>
  geographies.find(({ prefix }) => place.startsWith(prefix))?.geography ?? place;

/** Only a platform superuser changes `cmekRequired`, and only where there is a key of the customer's (A061). */
export const policySettings: Service = {
  update: ({ before, after, changed }, { caller, settings }) => {
    const changes =
      changed.has("cmekRequired") &&
      (before.fields["cmekRequired"] === true) !== (after.fields["cmekRequired"] === true);
    if (!changes) return after;
    if (caller.role !== "superuser")
      throw permissionDenied("`cmekRequired` can be changed by a platform superuser only");
    if (after.fields["cmekRequired"] === true && !settings.externalKeyReady)
      throw failedPrecondition("`cmekRequired` needs a primary external key that is READY");
    return after;
  },
};
