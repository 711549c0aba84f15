// The provider's own code reads options by the names and types that the declarations give them.
import type { z } from "zod";
import type { OwnOptions } from "../../provider/core/declaration/own-fields";
import type { specs } from "../../provider/resources/index";

type Inputs = { [K in keyof typeof specs]: z.output<(typeof specs)[K]["inputs"]> };

/** The type that declarations give an input, over all kinds that have it. */
type DeclaredType<N extends string> = {
  [K in keyof Inputs]: N extends keyof Inputs[K] ? NonNullable<Inputs[K][N]> : never;
}[keyof Inputs];

type Same<A, B> = [A, B] extends [B, A] ? true : false;

type Mistaken = {
  [N in keyof OwnOptions]-?: Same<DeclaredType<N>, NonNullable<OwnOptions[N]>> extends true ? never : N;
}[keyof OwnOptions];

export const mistaken: readonly never[] = [] as readonly Mistaken[];
