import { expect } from 'vitest'

// Before the tests of an example or a template, which know nothing of the tests of this package.
if (/\/(?:examples|templates)\//.test(expect.getState().testPath ?? '')) {
  const { startPgliteFromTemplate } = await import('./pglite-template.js')
  startPgliteFromTemplate()
}
