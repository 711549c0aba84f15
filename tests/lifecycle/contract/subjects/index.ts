import type { Subject } from "../subject";
import { deployment } from "./deployment";
import { secret } from "./secret";
import { user } from "./user";

export const subjects: readonly Subject[] = [secret, user, deployment];
