import { type Manager, NODES, type NodeMajor } from './programs.js'

/** How a project is made. */
export interface Made {
  readonly template: 'minimal' | 'service' | 'saas'
  readonly manager: Manager
  readonly decorators: 'standard' | 'legacy'
  readonly test: 'vitest' | 'node'
  /** The version of the compiler: 7 is that of the template. */
  readonly typescript: '5.9' | '6' | '7'
}

/** A project, and the versions of Node on which it is tried. */
export interface Row extends Made {
  readonly nodes: readonly NodeMajor[]
}

/** As `blazon new` makes it without options. */
const PLAIN = { decorators: 'standard', test: 'vitest', typescript: '7' } as const

/**
 * Each template by npm and by pnpm as it is made without options, and seven projects with other options, so that each two
 * choices of different kinds meet in a project: `projects.test.ts` counts them. `short` are the versions of Node of the
 * short run; a project without them is part of the whole run only.
 */
const PROJECTS: readonly (Made & { readonly short: readonly NodeMajor[] })[] = [
  { template: 'minimal', manager: 'npm', ...PLAIN, short: [] },
  { template: 'minimal', manager: 'pnpm', ...PLAIN, short: [] },
  { template: 'service', manager: 'npm', ...PLAIN, short: [] },
  { template: 'service', manager: 'pnpm', ...PLAIN, short: [] },
  { template: 'saas', manager: 'npm', ...PLAIN, short: [20, 24] },
  { template: 'saas', manager: 'pnpm', ...PLAIN, short: [] },
  {
    template: 'minimal',
    manager: 'yarn',
    decorators: 'standard',
    test: 'vitest',
    typescript: '5.9',
    short: [20, 26],
  },
  {
    template: 'minimal',
    manager: 'npm',
    decorators: 'legacy',
    test: 'node',
    typescript: '6',
    short: [],
  },
  {
    template: 'service',
    manager: 'npm',
    decorators: 'legacy',
    test: 'node',
    typescript: '5.9',
    short: [],
  },
  {
    template: 'service',
    manager: 'pnpm',
    decorators: 'standard',
    test: 'node',
    typescript: '6',
    short: [22, 24],
  },
  {
    template: 'saas',
    manager: 'pnpm-10',
    decorators: 'legacy',
    test: 'node',
    typescript: '5.9',
    short: [22, 26],
  },
  {
    template: 'saas',
    manager: 'yarn',
    decorators: 'legacy',
    test: 'vitest',
    typescript: '6',
    short: [],
  },
  {
    template: 'service',
    manager: 'yarn',
    decorators: 'legacy',
    test: 'node',
    typescript: '7',
    short: [],
  },
]

/** All projects on all versions of Node. */
export const ALL: readonly Row[] = PROJECTS.map(({ short: _, ...made }) => ({
  ...made,
  nodes: NODES,
}))

/** What `.ci/run` tries: less of each, and nothing left out. */
export const SHORT: readonly Row[] = PROJECTS.filter(({ short }) => short.length > 0).map(
  ({ short, ...made }) => ({ ...made, nodes: short }),
)

/** The name of a project, in results and as a folder. */
export function titleOf({ template, manager, decorators, test, typescript }: Made): string {
  return `${template} by ${manager}, ${decorators} decorators, ${test}, TypeScript ${typescript}`
}
