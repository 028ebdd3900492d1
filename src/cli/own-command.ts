import { runningManager } from './running-manager.js'

/** How each package manager runs the command of a package of the project. */
const RUN = { npm: 'npx blazon', pnpm: 'pnpm exec blazon', yarn: 'yarn blazon' } as const

/** A command of this package, as a person types it in the project: `npx blazon openapi export`. */
export function ownCommand(args: readonly string[]): string {
  return [RUN[runningManager()], ...args.map(quoted)].join(' ')
}

/**
 * The same command again with further arguments. If a script of the project runs the command, the script is named:
 * `npm run dev -- --port 3001`.
 */
export function repeatedCommand(name: string, more: string): string {
  const { npm_lifecycle_event: script = '', npm_lifecycle_script: text = '' } = process.env
  const isScript = script !== '' && script !== 'npx' && text.trim().endsWith(`blazon ${name}`)
  if (!isScript) return `${ownCommand([name])} ${more}`
  const manager = runningManager()
  return `${manager} run ${script} ${manager === 'npm' ? '-- ' : ''}${more}`
}

function quoted(text: string): string {
  return /^[\w./:@=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
