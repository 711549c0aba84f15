/** The schema library. Everything takes it from here: a build puts what is used of it into this one file. */
export { z } from "zod";
