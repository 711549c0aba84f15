import type { ContractSubject } from "../subject";
import { deployedModel } from "./deployed-model";
import { deployment } from "./deployment";
import { model } from "./model";
import { policySettings } from "./policy-settings";
import { rlorTrainerJob } from "./rlor-trainer-job";
import { secret } from "./secret";
import { supervisedFineTuningJob } from "./supervised-fine-tuning-job";
import { user } from "./user";

export const subjects: readonly ContractSubject[] = [
  secret,
  user,
  policySettings,
  model,
  deployment,
  deployedModel,
  supervisedFineTuningJob,
  rlorTrainerJob,
];
