/** The names of a message's members. Those of a map are not declared. */
export type NameIn<T> = string & keyof { [K in keyof T as string extends K ? never : K]: T[K] };

/** The paths of a message's members, with dots: `placement.region`. Lists and maps are not entered. */
export type PathIn<T, Depth extends readonly 0[] = []> = Depth["length"] extends 3
  ? never
  : T extends readonly unknown[]
    ? never
    : T extends object
      ? { [K in NameIn<T>]: K | `${K}.${PathIn<NonNullable<T[K]>, [...Depth, 0]>}` }[NameIn<T>]
      : never;
