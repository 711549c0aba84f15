import { messageOf } from "../../provider/core/errors";
import type { Redactor } from "../../provider/core/redact";
import type { FailedPolicy } from "../scan/document";

/** Policies that threw, each with its first error and how often: the audit goes on with the others. */
export class FailedPolicies {
  private readonly failures = new Map<string, FailedPolicy>();

  constructor(private readonly redactor: Pick<Redactor, "text">) {}

  note(name: string, error: unknown): void {
    const failure = this.failures.get(name);
    if (failure) failure.times += 1;
    else this.failures.set(name, { name, reason: this.redactor.text(messageOf(error)), times: 1 });
  }

  get all(): FailedPolicy[] {
    return [...this.failures.values()];
  }
}
