import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import type { OpenApiDocument } from 'blazon'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { generateApi } from 'swagger-typescript-api'
import { withoutPrototypeNames } from '../checks/prototype-names.js'

/** The folder of generated code. */
export const GENERATED: string = fileURLToPath(new URL('../.cache/generated', import.meta.url))

/** Writes a client for a document into a folder. */
type Generate = (document: OpenApiDocument, folder: string) => Promise<void>

/** Generators of clients, by name. */
export const GENERATORS: Readonly<Record<string, Generate>> = {
  'openapi-typescript': openapiTypes,
  'hey-api': heyApi,
  'swagger-typescript-api': swaggerTypescriptApi,
}

/** Writes the clients of all generators, each into `<app>/<generator>`. */
export async function generateClients(app: string, document: OpenApiDocument): Promise<void> {
  for (const [name, generate] of Object.entries(GENERATORS)) {
    const folder = join(GENERATED, app, name)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await generate(withoutPrototypeNames(document), folder)
  }
}

async function openapiTypes(document: OpenApiDocument, folder: string): Promise<void> {
  const nodes = await openapiTypescript(document as never)
  writeFileSync(join(folder, 'schema.ts'), astToString(nodes))
}

async function heyApi(document: OpenApiDocument, folder: string): Promise<void> {
  await createClient({
    input: document as never,
    output: { path: folder, importFileExtension: '.js' },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent', file: false },
  } as never)
}

async function swaggerTypescriptApi(document: OpenApiDocument, folder: string): Promise<void> {
  await generateApi({
    spec: document as never,
    output: folder,
    fileName: 'api.ts',
    httpClientType: 'fetch',
    silent: true,
  })
}
