import { type LifeEnd, type LifeOptions, live } from "../foreign-life";
import type { Kind, Outcome, Row } from "./row";

/** How the life of a kind really ends, and what people were told. */
export interface Ended {
  outcome: Outcome | "wrong" | "dead end";
  message: string;
}

export async function outcomeOf(
  { deviation, settings, message }: Row,
  kind: Kind,
  host?: LifeOptions["host"],
): Promise<Ended> {
  const served = host && { host };
  const end = await live(kind, deviation, served);
  const told = end.message === undefined ? "" : `${end.at}: ${end.message}`;
  if (end.at === "the end") return { outcome: "right", message: "" };
  if (settings === undefined || end.isWrong) return { outcome: withoutSettings(end), message: told };
  if (!message?.test(end.message ?? "")) return { outcome: "dead end", message: told };
  const next = await live(kind, deviation, { ...served, config: settings });
  if (next.at === "the end") return { outcome: "setting", message: told };
  return {
    outcome: next.isWrong ? "wrong" : "dead end",
    message: `${told}\nWith settings, ${next.at}: ${next.message}`,
  };
}

function withoutSettings({ at, isWrong, writes = [] }: LifeEnd): Ended["outcome"] {
  if (isWrong) return "wrong";
  if (writes.length === 0) return "refused";
  return at !== "the destroy" && writes.length === 1 ? "refused at once" : "dead end";
}
