import {
  ApiResponseDoc,
  type AppOptions,
  Body,
  type Class,
  Controller,
  Post,
  type Request,
} from 'blazon'
import { corpus } from '../../openapi/corpus/corpus.js'

/** A schema of the corpus. */
export type Entry = (typeof corpus)[number]

const pascal = (text: string) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('')

/** The path of the route for values of a schema. */
export const pathOf = ({ library, name }: Entry): string =>
  `/${library}/${name.replace(/[^A-Za-z0-9]+/g, '-')}`

/** A controller that takes values of one schema, and sends them back. */
function controllerOf(entry: Entry): Class {
  const { name, library, schema } = entry
  @Controller(pathOf(entry))
  class EchoController {
    @Post()
    @Body(schema)
    @ApiResponseDoc({ status: 200, description: 'What was sent', schema })
    echo(req: Request) {
      return req.body
    }
  }
  // The name of the class is the name of the operation.
  Object.defineProperty(EchoController, 'name', {
    value: `${pascal(`${library} ${name}`)}Controller`,
  })
  return EchoController
}

/** An application with a route for each schema, as its body and as its response. */
export const corpusOptions = (entries: readonly Entry[]): AppOptions => ({
  controllers: entries.map(controllerOf),
  logger: false,
  openapi: {
    title: 'Corpus',
    description: 'Schemas that the documents are measured on.',
    contact: { name: 'API', url: 'https://example.com', email: 'api@example.com' },
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    tags: entries.map(({ name, library }) => ({
      name: pascal(`${library} ${name}`),
      description: `${name}, in ${library}`,
    })),
  },
})

/** The whole corpus. */
export const options: AppOptions = corpusOptions(corpus)
