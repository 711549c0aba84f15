import { columnsOf } from "../../io/text/report-format";

/** How one run of all publications ended for a registry. */
type RunEnding = "published" | "unchanged" | "–";

/** A package in its registry. */
export interface PublishedPackage {
  registry: string;
  address: string;
  bytes: number;
  /** One for each run of the publications. */
  runs: readonly RunEnding[];
  seconds: number;
}

/** What somebody installed from a registry. */
export interface Installation {
  /** The command that installed it. */
  what: string;
  bytes: number;
  seconds: number;
  /** What was run with it. */
  ran: string;
}

/** What a rehearsal has seen. */
export interface RehearsalReport {
  version: string;
  packages: readonly PublishedPackage[];
  installations: readonly Installation[];
  /** Refusals that the rehearsal provoked. */
  refusals: readonly string[];
  differences: readonly string[];
  /** What was left out for want of a program. */
  left: readonly string[];
}

const megabytes = (bytes: number): string =>
  bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
const inSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`;
const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n");

/** The report as text, without its last line break. */
export function renderReport(report: RehearsalReport): string {
  const runs = report.packages[0]?.runs.length ?? 0;
  const publications = [
    ["Registry", "Address", "Size", ...Array.from({ length: runs }, (_, index) => `Run ${index + 1}`), "Time"],
    ...report.packages.map(({ registry, address, bytes, runs: endings, seconds }) => [
      ...[registry, address, megabytes(bytes), ...endings],
      inSeconds(seconds),
    ]),
  ];
  const installations = [
    ["Installed", "Size", "Time", "Ran"],
    ...report.installations.map(({ what, bytes, seconds, ran }) => [what, megabytes(bytes), inSeconds(seconds), ran]),
  ];
  const sections = [
    `Rehearsal of ${report.version}, on this machine alone\n`,
    `Published: each run but the last was cut off after the registry that it was the first to publish to.`,
    `${columnsOf(publications)}\n`,
    `${columnsOf(installations)}\n`,
    ...section("Refused, as it has to be:", report.refusals),
    ...section("Different from a release:", report.differences),
    ...section("Not rehearsed:", report.left),
  ];
  return sections.join("\n").trimEnd();
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, `${bullets(lines)}\n`];

/** The steps of a rehearsal: the one under way, and how long each took. */
export class Steps {
  /** As a phrase after "while": `publishing to npm`. */
  current = "making a temporary folder";

  constructor(
    private readonly clock: () => number,
    private readonly announce: (step: string) => void,
  ) {}

  async during<T>(step: string, action: () => Promise<T>): Promise<{ value: T; seconds: number }> {
    this.current = step;
    this.announce(step);
    const startedAt = this.clock();
    const value = await action();
    return { value, seconds: (this.clock() - startedAt) / 1000 };
  }
}
