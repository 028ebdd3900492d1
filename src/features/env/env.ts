import type { FactoryProvider } from '../../contracts/provider.js'
import type { InferOutput, Schema } from '../../contracts/schema.js'
import { inject } from '../../di/inject.js'
import { InjectionToken, UnderTest } from '../../di/token.js'
import { ConfigError } from '../../errors/config-error.js'
import type { EnvOptions } from './env-options.js'
import { type EnvDeclaration, readEnv, readEnvAsync } from './read-env.js'
import { announceEnv, reportEnv } from './report-env.js'
import type { EnvRecord } from './sources.js'

/**
 * The token of the variables that `env` describes. An application that injects it reads the variables once, at boot.
 *
 * @example
 * class Mailer {
 *   private readonly url = inject(Env).SMTP_URL
 * }
 */
export class EnvToken<T> extends InjectionToken<T> {
  readonly #declaration: EnvDeclaration

  /**
   * Makes a token; use `env`.
   *
   * @param declaration The schema and the options.
   */
  constructor(declaration: EnvDeclaration) {
    // The schema makes values of the type T.
    const read = () => readEnv(declaration, { isTest: inject(UnderTest) }) as T
    super('Env', { useFactory: read })
    this.#declaration = declaration
    announceEnv({ report: () => reportEnv(declaration) })
  }

  /**
   * A provider for the option `providers`. With it, boot reads the variables even if no class injects them, and waits
   * for a schema that is asynchronous or a JSON Schema. Without it, the first class that injects the token makes boot
   * read them.
   *
   * @example
   * const app = new App({ providers: [Env.provider], controllers })
   */
  get provider(): FactoryProvider<T> {
    return {
      token: this,
      inject: [UnderTest],
      useFactory: (isTest: boolean) => readEnvAsync(this.#declaration, { isTest }) as Promise<T>,
    }
  }

  /**
   * Reads the variables now, without an application: for `listen(port)` and for options. Each call reads again.
   *
   * @param variables Read in place of the environment; then no `.env` is read. Default: `process.env`, and the file of
   * the option `file`.
   * @returns a frozen object. Secrets are properties that are not enumerable: `inspect` and JSON mask them, and copies
   * leave them out.
   * @throws ConfigError `E_ENV_INVALID` with every wrong variable, or if the schema is asynchronous or a JSON Schema.
   * @example
   * const config = Env.read()
   * await new App(options).listen(config.PORT)
   */
  read(variables?: EnvRecord): T {
    try {
      // The schema makes values of the type T.
      return readEnv(this.#declaration, { from: variables }) as T
    } catch (error) {
      // The mistake is outside of the program, so the stack need not show more than this call.
      if (error instanceof ConfigError) Error.captureStackTrace(error, this.read)
      throw error
    }
  }
}

/**
 * Describes the variables of the environment by a schema. The result is a token: `inject(Env)` has the type that the
 * schema makes. Variables are text, and only the schema converts them: `z.coerce.number()`. An empty variable counts as
 * not set. `NAME_FILE` may have the path of a file that holds the value of `NAME`. Nothing is read before boot or
 * {@link EnvToken.read}, and `process.env` never changes.
 *
 * @param schema The schema of an object whose fields are the variables, of any library.
 * @param options `file`: a file with variables (default: `.env`, but not in production and in tests); `secrets`: names
 * of secret variables, besides variables marked with `secret`.
 * @throws ConfigError when the variables are read: `E_ENV_INVALID` with every wrong variable, `E_SCHEMA_INVALID` if the
 * schema does not show its fields, `E_OPTION_INVALID`.
 * @example
 * const Env = env(z.object({ PORT: z.coerce.number().default(3000), DATABASE_URL: secret(z.url()) }))
 */
export function env<S extends Schema>(
  schema: S,
  options: EnvOptions = {},
): EnvToken<Readonly<InferOutput<S>>> {
  return new EnvToken({ schema, options })
}
