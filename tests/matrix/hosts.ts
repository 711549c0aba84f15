import { dynamicToken, pluginToken } from "../../provider/core/pulumi-names";

/** A way in which the resources of a stack are served. */
export interface MatrixHost {
  title: string;
  /** Entry of the package that has the classes. */
  entry: string;
  /** Type of a kind's resources. */
  token(kind: string): string;
}

export const dynamicHost: MatrixHost = {
  title: "dynamic resources",
  entry: "pulumi-modelplatform",
  token: dynamicToken,
};

export const pluginHost: MatrixHost = {
  title: "the plugin",
  entry: "pulumi-modelplatform/plugin",
  token: pluginToken,
};

/** What figures call an engine whose resources a host serves. */
export const withHost = (engine: string, host: MatrixHost): string =>
  host === dynamicHost ? engine : `${engine}, with ${host.title}`;
