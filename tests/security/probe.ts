/** One attack: what an attacker tries, and the proof that it came to nothing. */
export interface Probe {
  /** What holds, as a sentence. */
  holds: string;
  run(): void | Promise<void>;
}

export const probe = (holds: string, run: Probe["run"]): Probe => ({ holds, run });

/** The same attack with every payload against every target. */
export const cross = <A, B>(
  targets: readonly (readonly [name: string, target: A])[],
  payloads: readonly (readonly [name: string, payload: B])[],
  holds: (target: string, payload: string) => string,
  run: (target: A, payload: B) => void | Promise<void>,
): Probe[] =>
  targets.flatMap(([name, target]) =>
    payloads.map(([what, payload]) => probe(holds(name, what), () => run(target, payload))),
  );

export function runAll(probes: readonly Probe[]): void {
  for (const { holds, run } of probes) test(holds, async () => run());
}
