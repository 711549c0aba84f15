import type { RunClaims } from "./claims";
import { type KnownOfRun, Resource } from "./resource";
import type { NewHost, ResourceMemory } from "./views";

/** What one process has seen of a run; lost with it. Its claims are shared by all processes of the run. */
export class Run {
  private readonly resources = new Map<string, Resource>();
  private readonly known: KnownOfRun;

  constructor(claims: RunClaims) {
    this.known = {
      claims,
      accounts: new Set<string>(),
      hosts: new Map<string, NewHost>(),
      shownFor: (urn) => this.resources.get(urn)?.shown,
    };
  }

  resource(urn: string): ResourceMemory {
    const resource = this.resources.get(urn) ?? new Resource(urn, this.known);
    this.resources.set(urn, resource);
    return resource;
  }

  /** Whether the program has said that it declares this URN. */
  declares(urn: string): boolean {
    return this.resources.get(urn)?.isDeclared === true;
  }
}
