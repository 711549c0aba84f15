import type * as pulumi from "@pulumi/pulumi";

type Transformation = pulumi.ResourceTransformation;

/**
 * A transformation for resources of `type` that runs after all others, those of their parents and of the stack
 * included, so that `finish` gets the properties and options as they will be registered. The SDK keeps the list that it
 * goes through at the resource, and takes what is added to it on the way. Transforms, its newer kind, run in the
 * engine: nothing here sees what they change.
 */
export function lastTransformation(
  type: string,
  finish: (props: pulumi.Inputs, opts: pulumi.CustomResourceOptions, resource: object) => pulumi.Inputs,
): Transformation {
  const last: Transformation = (args) =>
    args.type === type
      ? { props: finish(args.props as pulumi.Inputs, args.opts, args.resource), opts: args.opts }
      : undefined;
  return (args) => {
    // Children inherit the transformations of their parents.
    if (args.type !== type) return undefined;
    const { __transformations: all } = args.resource as unknown as { __transformations?: Transformation[] };
    if (all === undefined) return last(args);
    if (all.at(-1) !== last) all.push(last);
    return undefined;
  };
}
