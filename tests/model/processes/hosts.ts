import { dynamicToken, pluginToken } from "../../../provider/core/pulumi-names";

/** A way in which the resources of a stack are served. */
export interface ResourceHost {
  title: string;
  /** Entry of the package that has the classes. */
  entry: string;
  /** Type of a kind's resources. */
  token(kind: string): string;
}

export const dynamicHost: ResourceHost = {
  title: "dynamic resources",
  entry: "pulumi-modelplatform",
  token: dynamicToken,
};

export const pluginHost: ResourceHost = {
  title: "the plugin",
  entry: "pulumi-modelplatform/plugin",
  token: pluginToken,
};

/** What reports call an engine whose resources a host serves. */
export const withHost = (engine: string, host: ResourceHost): string =>
  host === dynamicHost ? engine : `${engine}, with ${host.title}`;
