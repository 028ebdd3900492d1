import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../../errors/option-group.js'

/** Options of `env`. */
export interface EnvOptions {
  /**
   * The path of a file with variables, relative to the working directory; `false` for no file. If you set this option,
   * the file is always read and must exist. Environment variables take precedence over it.
   *
   * @defaultValue `.env`, if it exists; not read if `NODE_ENV` is `production` or `test`, nor in a `TestApp`
   */
  readonly file?: string | false
  /**
   * The names of additional secret variables, for schema libraries that `secret` does not support.
   *
   * @defaultValue none
   */
  readonly secrets?: readonly string[]
}

const NAMES: OptionNames<EnvOptions> = { file: true, secrets: true }

/**
 * Finds invalid `env` options. A misspelt option name causes an error, because a misspelt `secrets` would reveal
 * secrets.
 */
export function checkEnvOptions(options: EnvOptions): Problem[] {
  const { file, secrets = [] } = options
  const problems = unknownOptions('env.', options, NAMES)
  if (file !== undefined && file !== false && (typeof file !== 'string' || file === '')) {
    problems.push(
      invalid(
        'env.file',
        `${shown(file)} is not a path.`,
        "Pass a path such as '.env.local', or `false`.",
      ),
    )
  }
  const isList = Array.isArray(secrets) && secrets.every((name) => typeof name === 'string')
  if (!isList) {
    problems.push(
      invalid(
        'env.secrets',
        'It is not a list of variable names.',
        "Pass a list such as ['DATABASE_URL'].",
      ),
    )
  }
  return problems
}
