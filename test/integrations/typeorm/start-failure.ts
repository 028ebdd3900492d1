import { inspect } from 'node:util'
import { App, ConfigError } from 'blazon'
import { type TypeOrmOptions, typeorm } from 'blazon/typeorm'
import { expect } from 'vitest'

export const PASSWORD = 'hunter2/secret'

/** The boot error of an application with this data source. Checks that it does not contain the password. */
export async function failureOf(options: TypeOrmOptions): Promise<ConfigError> {
  const error = await App.create({ plugins: [typeorm(options)], logger: false }).then(
    (app) => app.close(),
    (reason) => reason,
  )
  if (!(error instanceof ConfigError)) throw new Error('A ConfigError was expected.')
  expect(error.problems).toHaveLength(1)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/hunter2/)
  return error
}
