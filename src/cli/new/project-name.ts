import { basename } from 'node:path'
import { CliError } from '../cli-error.js'

/** npm accepts 214, but a name also begins the keys of Redis, which have at most 100. */
const MAX_LENGTH = 80

/** A name that npm accepts, with or without a scope. It is also safe in every text of a template. */
const NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/

/** Names that npm refuses, and this package, which cannot depend on itself. */
const RESERVED = ['node_modules', 'favicon.ico', 'blazon']

/**
 * The name of the project's package: the given name, else the name of its folder.
 *
 * @throws CliError when npm would refuse the name, or it is too long.
 */
export function projectName(given: string | undefined, folder: string): string {
  const name = given ?? basename(folder)
  if (NAME.test(name) && name.length <= MAX_LENGTH && !RESERVED.includes(name)) return name
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
  throw new CliError({
    status: 2,
    what: `${shown} cannot be the name of a package.`,
    cause: `A name has at most ${MAX_LENGTH} lower-case letters, digits, ".", "_" and "-", and begins with a letter or digit. ${RESERVED.join(', ')} are taken.`,
    remedy:
      given === undefined
        ? 'Name the package, and keep the folder: --name my-api'
        : 'Choose another name: --name my-api',
  })
}
