import { PACKAGE_MANAGERS, type PackageManager } from './new/new-options.js'

/** The package manager that runs this command: `npm_config_user_agent` begins with its name. Else npm. */
export function runningManager(): PackageManager {
  const [name] = (process.env['npm_config_user_agent'] ?? '').split('/')
  return PACKAGE_MANAGERS.find((each) => each === name) ?? 'npm'
}
