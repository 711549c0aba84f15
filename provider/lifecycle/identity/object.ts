/** One object for good: a name returns, a name with its creation time does not. Some kinds show no creation time. */
export interface ObjectIdentity {
  name: string;
  createTime?: string | undefined;
}

/** What tells an object from every other one of its account. */
export const objectKey = ({ name, createTime = "" }: ObjectIdentity): string => `${name} ${createTime}`;
