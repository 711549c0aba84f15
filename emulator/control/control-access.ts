import { carriesToken } from "../credentials";
import { permissionDenied, unauthenticated } from "../refusals";
import type { Refusal } from "../types";
import { isLoopbackHost } from "../wire/hosts";

/** Where a control request comes from. */
export interface RequestOrigin {
  headers: Readonly<Record<string, string>>;
  /** Address of the other end; undefined for a call within the process. */
  address: string | undefined;
}

const loopbackAddress = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

/**
 * Why a request may not control the emulator; undefined where it may. With a token, only who has it may,
 * from wherever. Without one, only programs of this machine: the host name keeps out pages that had a
 * name point here, the origin all other pages.
 */
export function refusalOf({ headers, address }: RequestOrigin, token: string | undefined): Refusal | undefined {
  if (address === undefined) return undefined;
  if (token !== undefined)
    return carriesToken(headers, token)
      ? undefined
      : unauthenticated("the control plane asks for its token: `Authorization: Bearer <token>`");
  const host = headers["host"] ?? "";
  if (!loopbackAddress.test(address))
    return permissionDenied(
      "the control plane answers programs of its own machine only; start the emulator with `--control-token` to open it to others",
    );
  if (!isLoopbackHost(host))
    return permissionDenied(`the control plane is not called \`${host}\`; use the address that the emulator printed`);
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}`)
    return permissionDenied(`the control plane takes nothing from pages of \`${origin}\``);
  return undefined;
}
