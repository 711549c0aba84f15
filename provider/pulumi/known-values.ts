import * as pulumi from "@pulumi/pulumi";

interface Known {
  promise(): Promise<unknown>;
}

/** Values of outputs and others; undefined for what is not known. `pulumi.all` makes ten times as many promises. */
export const knownValues = (inputs: readonly unknown[]): Promise<unknown[]> =>
  Promise.all(inputs.map((input) => (pulumi.Output.isInstance(input) ? (input as unknown as Known).promise() : input)));
