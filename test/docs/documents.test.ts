/// <reference types="vite/client" />
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { App, type AppOptions } from 'blazon'
import { expect, it } from 'vitest'
import { documentText } from '../../src/cli/export-document.js'
import { root } from '../root.js'

const entries = import.meta.glob(['../../examples/*/app.ts', '../../templates/*/src/app.ts'])

it.each(Object.entries(entries))(
  'the application in %s generates exactly the stored openapi.json',
  async (entry, load) => {
    const { options } = (await load()) as { options: AppOptions }
    const { document } = new App({ ...options, logger: false })
    const folder = dirname(join(root, entry.replace('../../', ''))).replace(/\/src$/, '')
    // `npm run documents` writes the file.
    expect(documentText(document as never, 'json')).toBe(
      readFileSync(join(folder, 'openapi.json'), 'utf8'),
    )
  },
)
