import * as pulumi from "@pulumi/pulumi";
import { hiddenInput } from "../core/declaration/own-records";
import { dynamicToken, pluginToken } from "../core/fields/tokens";
import { isProvider, openPluginProvider } from "./provider";
import { type Wiring, wiringOf } from "./wiring";

type Options = pulumi.CustomResourceOptions;

/** The wiring of a kind as a resource of the plugin. What is a dynamic one of the same name becomes one. */
const pluginWiring = (kind: string): Wiring =>
  wiringOf(kind, {
    type: pluginToken(kind),
    otherType: dynamicToken(kind),
    // Most resources never had another name: a promise costs.
    ownInputs: (_name, _spec, { aliases, parent }, { formerUrns }) => ({
      [hiddenInput]: { aliases: aliases || parent ? formerUrns : [] },
    }),
  });

/** The class of a kind as the plugin serves it: `C` is the class that the main entry has of it, whose form it has. */
export function pluginClass<C>(kind: string): C {
  const wiring = pluginWiring(kind);
  const made = class extends pulumi.CustomResource {
    static get(name: string, id: pulumi.Input<pulumi.ID>, state?: object, opts?: Options): pulumi.CustomResource {
      return new made(name, { ...state }, { ...opts, id });
    }

    static override isInstance(value: unknown): value is pulumi.CustomResource {
      return wiring.isInstance(value);
    }

    constructor(name: string, args: object, opts?: Options) {
      const { registration, follow, finish } = wiring.open(name, args, opts);
      try {
        super(...registration);
        follow(this);
      } finally {
        finish();
      }
    }
  };
  Object.defineProperty(made, "name", { value: kind });
  return made as unknown as C;
}

/** The class of explicit providers that the plugin serves; `C` is that of the main entry. */
export function pluginProviderClass<C>(): C {
  const made = class Provider extends pulumi.ProviderResource {
    static override isInstance(value: unknown): value is pulumi.ProviderResource {
      return isProvider(value);
    }

    constructor(name: string, args: object = {}, opts?: pulumi.ResourceOptions) {
      const { registration, keep } = openPluginProvider(name, args, opts);
      super(...registration);
      keep(this);
    }
  };
  return made as unknown as C;
}
