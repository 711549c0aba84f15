import * as pulumi from "@pulumi/pulumi";
import { disarm } from "../../io/text/printable";

/** Warns from the program's process. What services and files have written does nothing at a terminal. */
export const warn = (text: string): void => void pulumi.log.warn(disarm(text));
