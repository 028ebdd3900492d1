import { PACKAGE_MANAGERS, type PackageManager } from './new/new-options.js'

/** How each package manager runs the command of a package of the project. */
const RUN = { npm: 'npx blazon', pnpm: 'pnpm exec blazon', yarn: 'yarn blazon' } as const

/** A command of this package, as a user types it in the project: `npx blazon openapi export`. */
export function projectCommand(args: readonly string[]): string {
  return [RUN[runningManager()], ...args.map(quoted)].join(' ')
}

function quoted(text: string): string {
  return /^[\w./:@=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** The package manager that runs this command: `npm_config_user_agent` begins with its name. Else npm. */
export function runningManager(): PackageManager {
  const [name] = (process.env['npm_config_user_agent'] ?? '').split('/')
  return PACKAGE_MANAGERS.find((each) => each === name) ?? 'npm'
}
