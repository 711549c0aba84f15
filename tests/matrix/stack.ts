import type { ResourceState } from "../../engine/state/resource-state";
import type { Sent, Site } from "../e2e/site";
import type { ResourceHost } from "../random/hosts";
import type { Names } from "./commands";
import type { SubjectDeclaration } from "./fates";
import { isLive, type Live, madeAt } from "./sight";
import { documentOf, groupType, nameOf, personUrn, type Subject, urnOf } from "./subject";

/** Subjects in one stack, with what their programs say at the moment and what there is of them. */
export class Stack {
  readonly programs = new Map<Subject, readonly SubjectDeclaration[]>();
  /** Whatever serves one of them serves all. */
  private readonly host: ResourceHost;

  constructor(
    readonly site: Site,
    readonly subjects: readonly Subject[],
  ) {
    this.host = subjects[0]!.host;
  }

  /** Writes down what the programs say. */
  declare(more: Omit<Parameters<typeof documentOf>[2], "url"> = {}): void {
    const said = this.subjects.map((subject) => ({ subject, program: this.programs.get(subject) ?? [] }));
    this.site.declare(documentOf(said, this.host, { url: this.site.url, ...more }));
  }

  /** The service refuses it from now on. */
  refuse({ variant }: Subject, what: "create" | "delete"): Promise<void> {
    const body = { code: 7, message: "not now" };
    return this.site.fault(
      { operation: `${what}${variant.kind}` },
      { kind: "status", status: 403, body },
      { times: null },
    );
  }

  names(): Names {
    const { subjects, host } = this;
    const known = subjects.flatMap((subject) => this.entries(subject).map(({ urn }) => urn));
    const declared = subjects.flatMap((subject) =>
      subject.fate.program.flatMap((declaration) => [
        urnOf(subject, declaration),
        ...(declaration.grouped ? [groupUrn(subject)] : []),
        ...(subject.fate.elsewhere ? [personUrn(host, "faulty")] : []),
      ]),
    );
    return {
      subjects: [...new Set([...known, ...declared])],
      known: [...new Set(known)],
      recorded: subjects.flatMap((subject) =>
        this.entries(subject)
          .slice(0, 1)
          .map(({ urn }) => urn),
      ),
      base: personUrn(host, "base"),
      beside: personUrn(host, "beside"),
    };
  }

  /** Everything of those that no program has ever named. */
  strangers(): string {
    const all = [...this.site.emulator.world.all()].filter(({ name }) => name.endsWith("/stranger"));
    return JSON.stringify(all.map(({ name, fields }) => [name, fields]).sort());
  }

  /** A subject's live objects: each by name, and by when it was made. */
  live(subject: Subject): Live[] {
    return [...this.site.emulator.world.all()]
      .filter(({ kind, name, fields }) => isLive(subject, kind, name, fields))
      .map(({ name, fields }) => ({ name, made: madeAt(name, fields["createTime"]) }));
  }

  entries(subject: Subject): ResourceState[] {
    return this.site.resources().filter(({ urn }) => isOf(subject, urn));
  }

  /** Requests since the last look that have changed something. */
  async writes(): Promise<Sent[]> {
    return (await this.site.requests()).filter(
      ({ method, status, query }) => method !== "GET" && status >= 200 && status < 300 && !query["validateOnly"],
    );
  }
}

export const isOf = ({ tag }: Subject, urn: string): boolean => urn.includes(`::${tag}-`);

const groupUrn = (subject: Subject): string => {
  const above = subject.layout === "a nested copy" ? `${groupType}$` : "";
  return `urn:pulumi:dev::matrix::${above}${groupType}::${nameOf(subject, {}).replace(/-one$/, "-group")}`;
};
