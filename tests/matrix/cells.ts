import { dynamicHost, type ResourceHost } from "../random/hosts";
import { type Command, commands } from "./commands";
import { type Fate, fates } from "./fates";
import { type Variant, variants } from "./kinds";
import { type Layout, layouts, type Subject } from "./subject";

/** A fate under a command; what has neither subject nor reason has been forgotten. */
export interface Cell {
  command: Command;
  fate: Fate;
  subjects: Subject[];
  /** Why there is none. */
  reason?: string;
}

const reasonAgainst = (fate: Fate, variant: Variant): string | undefined => {
  if (fate.identities && !fate.identities.includes(variant.identity)) return `it is not for a ${variant.identity}`;
  return fate.impossible?.(variant);
};

/** Every command with every fate; kinds and layouts so that each two of command, fate, kind and layout meet. */
export function cells(host: ResourceHost = dynamicHost): Cell[] {
  const met = new Set<string>();
  const pairsOf = (command: Command, fate: Fate, variant: Variant, layout: Layout): string[] => [
    ...[`${command.title} × ${variant.title}`, `${command.title} × ${layout}`, `${fate.title} × ${variant.title}`],
    ...[`${fate.title} × ${layout}`, `${variant.title} × ${layout}`],
  ];
  let count = 0;
  return commands.flatMap((command) =>
    fates.map((fate): Cell => {
      const reason = command.impossible?.(fate);
      if (reason !== undefined) return { command, fate, subjects: [], reason };
      const candidates = variants
        .filter((variant) => reasonAgainst(fate, variant) === undefined)
        .flatMap((variant) => layouts.map((layout) => ({ variant, layout })));
      const news = ({ variant, layout }: (typeof candidates)[number]): string[] =>
        pairsOf(command, fate, variant, layout).filter((pair) => !met.has(pair));
      // Ties go round, so that no variant is always the first.
      const turned = candidates.map((_, index) => candidates[(index + count) % candidates.length]!);
      count += 1;
      const chosen = turned.reduce((best, each) => (news(each).length > news(best).length ? each : best), turned[0]!);
      for (const pair of pairsOf(command, fate, chosen.variant, chosen.layout)) met.add(pair);
      const tag = `s${String(count).padStart(4, "0")}x`;
      return { command, fate, subjects: [{ tag, fate, host, ...chosen }] };
    }),
  );
}
