import { describe, expect, it } from 'vitest'
import { interactiveFiles, REFERENCE_FILES } from '../../../src/features/docs/file-names.js'
import { openPage } from '../../../src/features/docs/open-page.js'
import { sampleDocument } from './sample-document.js'

const source = { path: '/api-docs', document: () => sampleDocument }

describe('a page has the files whose routes exist before it is loaded', () => {
  it('that is built in', () => {
    const page = openPage(source, { peer: null, isProduction: true })
    expect(Object.keys(page.files)).toEqual(REFERENCE_FILES)
  })

  it.each([true, false])('of swagger-ui, with isProduction %s', (isProduction) => {
    const page = openPage(source, { peer: '/nowhere', isProduction })
    expect(Object.keys(page.files)).toEqual(interactiveFiles(isProduction))
  })

  it('and stores the input of "Authorize" in development only', () => {
    expect(interactiveFiles(false)).toContain('session-authorization.js')
    expect(interactiveFiles(true)).not.toContain('session-authorization.js')
  })
})
