import { PACKAGE_MANAGERS, type PackageManager } from './new/new-options.js'

/** How each package manager runs the command of an installed package. */
const RUN = { npm: 'npx blazon', pnpm: 'pnpm exec blazon', yarn: 'yarn blazon' } as const

/** Returns a command of this package as the user would type it in the project, such as `npx blazon openapi export`. */
export function projectCommand(args: readonly string[]): string {
  return [RUN[runningManager()], ...args.map(quoted)].join(' ')
}

function quoted(text: string): string {
  return /^[\w./:@=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * Returns the package manager that runs this command. Its name is at the beginning of `npm_config_user_agent`. Default:
 * npm.
 */
export function runningManager(): PackageManager {
  const [name] = (process.env['npm_config_user_agent'] ?? '').split('/')
  return PACKAGE_MANAGERS.find((each) => each === name) ?? 'npm'
}
