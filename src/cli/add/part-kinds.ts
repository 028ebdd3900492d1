/** What `blazon add` can add. */
export const KINDS = ['controller', 'module', 'plugin', 'guard', 'migration'] as const
export type Kind = (typeof KINDS)[number]

/** The kinds that are classes and objects of TypeScript. */
export type CodeKind = Exclude<Kind, 'migration'>

/** The options of `blazon add`, as the command line gives them. */
export interface AddOptions {
  /** The folder of the files. */
  readonly dir?: string
  readonly dryRun?: boolean
}
