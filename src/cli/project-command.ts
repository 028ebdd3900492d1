import { runningManager } from './running-manager.js'

/** How each package manager runs the command of a package of the project. */
const RUN = { npm: 'npx blazon', pnpm: 'pnpm exec blazon', yarn: 'yarn blazon' } as const

/** A command of this package, as a person types it in the project: `npx blazon openapi export`. */
export function projectCommand(args: readonly string[]): string {
  return [RUN[runningManager()], ...args.map(quoted)].join(' ')
}

function quoted(text: string): string {
  return /^[\w./:@=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
