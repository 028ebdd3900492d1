import { ConfigError, type Problem } from './config-error.js'

const problems = new WeakMap<object, readonly Problem[]>()

/**
 * Creates the result of a factory, such as a guard, a plugin or a store. A factory is often called when a module is
 * loaded, before there is an application that could report an error in the options. Therefore, if `make` throws a
 * `ConfigError`, this function returns a stand-in. An application that uses the stand-in does not start, and reports
 * the stand-in's problems together with all others. If the program calls a function of the stand-in, the function
 * throws the `ConfigError`.
 *
 * @param make Creates the result from the options.
 * @param standIn Creates the result from other, valid options, for members that are read before the application starts.
 * @param parts Option values that could themselves be stand-ins, such as a store.
 * @throws all errors that `make` throws, except a `ConfigError`.
 * @example
 * export function metrics(options: Options): Plugin {
 *   return orStandIn(() => create(options), () => create({}))
 * }
 */
export function orStandIn<T extends object>(
  make: () => T,
  standIn: () => T,
  parts: readonly unknown[] = [],
): T {
  const found = standInProblems(parts)
  try {
    const made = make()
    return found.length === 0 ? made : standFor(standIn(), new ConfigError(found))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const all = found.length === 0 ? error : new ConfigError([...error.problems, ...found])
    return standFor(standIn(), all)
  }
}

function standFor<T extends object>(members: T, error: ConfigError): T {
  const refuse = () => {
    throw error
  }
  // The target has no own properties: for a frozen property, a proxy must return its original value.
  const stand = new Proxy(Object.create(members) as T, {
    get(_, key) {
      const member: unknown = Reflect.get(members, key)
      return typeof member === 'function' ? refuse : member
    },
  })
  problems.set(stand, error.problems)
  return stand
}

/** Returns the problems of the stand-ins in a list of values. Other values have no problems. */
export function standInProblems(values: readonly unknown[]): Problem[] {
  return values.flatMap((value) => [...(problems.get(value as object) ?? [])])
}
