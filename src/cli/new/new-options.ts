/** The project templates. Each is a folder in `templates/`. */
export const TEMPLATES = ['minimal', 'service', 'saas'] as const
export type Template = (typeof TEMPLATES)[number]

/** The decorator dialects. */
export const DECORATORS = ['standard', 'legacy'] as const

/** The test runners. */
export const RUNNERS = ['vitest', 'node'] as const

/** The package managers whose commands the project files can contain. */
export const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn'] as const
export type PackageManager = (typeof PACKAGE_MANAGERS)[number]

/** The options of `blazon new`, as specified on the command line. */
export interface NewOptions {
  readonly folder?: string | undefined
  readonly template?: Template
  readonly name?: string
  readonly decorators: (typeof DECORATORS)[number]
  readonly test: (typeof RUNNERS)[number]
  readonly pm?: PackageManager
  /** A version, or the path of a tarball or folder. */
  readonly package?: string
  readonly install: boolean
  readonly git: boolean
  readonly yes?: boolean
}

/** The inputs that determine the files of a project. */
export interface ProjectFacts {
  readonly template: Template
  /** A name that npm accepts. */
  readonly name: string
  readonly decorators: NewOptions['decorators']
  readonly test: NewOptions['test']
  readonly pm: PackageManager
  /** The entry for blazon in `package.json`: a range, or `file:` with a path. */
  readonly source: string
  /** Whether the project has a job. */
  readonly jobs: boolean
}
