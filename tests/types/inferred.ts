// The types of programs as the schema library infers them from the declarations: what the generated ones are held to.
import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { readableRecords } from "../../provider/core/declaration/surface";
import type { FunctionName, functions } from "../../provider/resources/functions";
import type { Kind, specs } from "../../provider/resources/index";

/**
 * The members of a message that are declared: members that the service gains later
 * pass through, but a misspelt one is a mistake.
 */
type Declared<T> = { [M in keyof T as string extends M ? never : M]: T[M] };

/** A map, or a message of which nothing is declared, keeps its index signature. */
type Members<T> = [keyof Declared<T>] extends [never] ? T : Declared<T>;

/** Values without parts. They come first, because the text of an open enum would count as an object. */
type Simple = string | number | boolean | null | undefined;

/** A value that may be known later, as a whole or in any of its parts. */
export type Input<T> = pulumi.Input<Parts<T>>;

type Parts<T> = T extends Simple
  ? T
  : T extends readonly (infer E)[]
    ? Input<E>[]
    : T extends object
      ? { [M in keyof Members<T>]: Input<Members<T>[M]> }
      : T;

/** A value as it is answered and recorded: what is not set is undefined, never null. */
export type Answered<T> = T extends null
  ? never
  : T extends Simple
    ? T
    : T extends readonly (infer E)[]
      ? Answered<E>[]
      : T extends object
        ? { [M in keyof Required<Members<T>>]: Answered<Members<T>[M]> }
        : T;

type Given<K extends Kind> = z.input<(typeof specs)[K]["inputs"]>;

/** What a program declares of an object. */
export type Args<K extends Kind> = { [P in keyof Given<K>]: Input<Given<K>[P]> };

/** What is recorded of every object, whatever the service answers. */
type Always<K extends Kind> = `${Uncapitalize<K>}Id` | "outputModelName";

type Readable = z.output<typeof readableRecords>;

type Recorded<K extends Kind> = Omit<Given<K>, keyof Readable> & z.output<(typeof specs)[K]["outputs"]> & Readable;

/** What a program can read from an object. */
export type Outputs<K extends Kind> = {
  readonly [P in keyof Recorded<K>]-?: pulumi.Output<
    P extends Always<K>
      ? string
      : undefined extends Recorded<K>[P]
        ? Answered<Recorded<K>[P]> | undefined
        : Answered<Recorded<K>[P]>
  >;
};

/** An object of a kind, as the service answers it, and what the declaration does not tell from it. */
export type Observed<K extends Kind> = Answered<Given<K> & z.output<(typeof specs)[K]["outputs"]>>;

type Declaration<F extends FunctionName> = (typeof functions)[F];

/** A value that is known, without the index signatures of messages that may grow. */
type Plain<T> = T extends Simple
  ? T
  : T extends readonly (infer E)[]
    ? Plain<E>[]
    : T extends object
      ? { [M in keyof Members<T>]: Plain<Members<T>[M]> }
      : T;

/** Arguments of a function. */
export type Arguments<F extends FunctionName> = Plain<
  z.input<Declaration<F>["inputs"]> &
    (Declaration<F> extends { inputsOfKind: infer K extends Kind } ? Given<K> : unknown)
>;

/** The same, of values that may be known later. */
export type LaterArguments<F extends FunctionName> = { [A in keyof Arguments<F>]: Input<Arguments<F>[A]> };

/** What a function answers. */
export type FunctionResult<F extends FunctionName> = Declaration<F>["answer"] extends { one: infer K extends Kind }
  ? Observed<K>
  : Declaration<F>["answer"] extends { all: infer K extends Kind; as: infer C extends string }
    ? { [P in C]: Observed<K>[] } & { totalSize: number | undefined }
    : Declaration<F>["answer"] extends { message: infer M extends z.ZodObject }
      ? Answered<z.output<M>>
      : never;
