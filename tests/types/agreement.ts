// The generated types of programs and those that the schema library infers from the declarations take each other's
// values.
import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { settings } from "../../provider/core/settings";
import type * as modelplatform from "../../provider/index";
import type { FunctionName } from "../../provider/resources/functions";
import type { Kind } from "../../provider/resources/index";
import type { Args, Arguments, FunctionResult, Input, LaterArguments, Observed, Outputs } from "./inferred";

type Kinds =
  | "Deployment"
  | "User"
  | "Secret"
  | "PolicySettings"
  | "SupervisedFineTuningJob"
  | "RlorTrainerJob"
  | "DeployedModel"
  | "Model";

interface GeneratedArgs {
  Deployment: modelplatform.DeploymentArgs;
  User: modelplatform.UserArgs;
  Secret: modelplatform.SecretArgs;
  PolicySettings: modelplatform.PolicySettingsArgs;
  SupervisedFineTuningJob: modelplatform.SupervisedFineTuningJobArgs;
  RlorTrainerJob: modelplatform.RlorTrainerJobArgs;
  DeployedModel: modelplatform.DeployedModelArgs;
  Model: modelplatform.ModelArgs;
}

type Own<K extends Kinds> = Omit<
  InstanceType<(typeof modelplatform)[K]>,
  Exclude<keyof pulumi.CustomResource, keyof Outputs<K>>
>;

type Observations = modelplatform.types.output.ObservedDeployment extends infer D
  ? {
      Deployment: D;
      User: modelplatform.types.output.ObservedUser;
      PolicySettings: modelplatform.types.output.ObservedPolicySettings;
      SupervisedFineTuningJob: modelplatform.types.output.ObservedSupervisedFineTuningJob;
      RlorTrainerJob: modelplatform.types.output.ObservedRlorTrainerJob;
      DeployedModel: modelplatform.types.output.ObservedDeployedModel;
      Model: modelplatform.types.output.ObservedModel;
      Account: modelplatform.types.output.ObservedAccount;
      DeploymentShapeVersion: modelplatform.types.output.ObservedDeploymentShapeVersion;
      StoredResponse: modelplatform.types.output.ObservedStoredResponse;
    }
  : never;

type PlainOf<F extends FunctionName> = NonNullable<Parameters<(typeof modelplatform)[F]>[0]>;
type LaterOf<F extends FunctionName> = NonNullable<Parameters<(typeof modelplatform)[`${F}Output`]>[0]>;
type ResultOf<F extends FunctionName> = Awaited<ReturnType<(typeof modelplatform)[F]>>;

/** The names whose two types do not take each other's values, or of which one has a member that the other has not. */
type Disagreeing<N extends string, A extends Record<N, unknown>, B extends Record<N, unknown>> = {
  [K in N]: [A[K], B[K], keyof A[K]] extends [B[K], A[K], keyof B[K]]
    ? [keyof B[K]] extends [keyof A[K]]
      ? never
      : K
    : K;
}[N];

/**
 * Of the inferred types only the members that the generated ones show: the rest is told by markers, of which types
 * know nothing.
 */
type Shown<T, M> = { [P in keyof T as P extends keyof M ? P : never]: T[P] };

/** An answer as far as the generated one shows it, the objects of a list one by one. */
type ShownAnswer<R, G> = {
  [P in keyof R as P extends keyof G ? P : never]: R[P] extends (infer E)[]
    ? P extends keyof G
      ? G[P] extends (infer F)[]
        ? E extends object
          ? Shown<E, F>[]
          : E[]
        : never
      : never
    : R[P];
};

type SettingsAlike = "operations" | "dialect";
type InferredSettings = Omit<
  { [S in keyof z.input<typeof settings>]: Input<z.input<typeof settings>[S]> },
  SettingsAlike
>;

/** Kinds with a class that are not compared here: add them to `Kinds` and `GeneratedArgs`. */
type Forgotten = Exclude<Extract<keyof typeof modelplatform, Kind>, Kinds>;

const none = <N extends never>(..._: N[]): void => undefined;

none<Forgotten>();
none<Disagreeing<Kinds, GeneratedArgs, { [K in Kinds]: Args<K> }>>();
none<Disagreeing<Kinds, { [K in Kinds]: Own<K> }, { [K in Kinds]: Shown<Outputs<K>, Own<K>> }>>();
none<
  Disagreeing<keyof Observations, Observations, { [K in keyof Observations]: Shown<Observed<K>, Observations[K]> }>
>();
none<Disagreeing<FunctionName, { [F in FunctionName]: PlainOf<F> }, { [F in FunctionName]: Arguments<F> }>>();
none<Disagreeing<FunctionName, { [F in FunctionName]: LaterOf<F> }, { [F in FunctionName]: LaterArguments<F> }>>();
none<
  Disagreeing<
    FunctionName,
    { [F in FunctionName]: ResultOf<F> },
    { [F in FunctionName]: ShownAnswer<FunctionResult<F>, ResultOf<F>> }
  >
>();
none<
  Disagreeing<"settings", { settings: Omit<modelplatform.ProviderArgs, SettingsAlike> }, { settings: InferredSettings }>
>();
