import { vi } from 'vitest'

/** The page that the applications of a test serve. */
export type PageKind = 'swagger-ui' | 'built-in'

/**
 * Hides `swagger-ui-dist` from an application. It is installed here, so a file that tests both pages hides it by
 * `vi.mock('../../src/features/docs/find-swagger-ui.js', peer.mock)`.
 */
export const peer = {
  isHidden: false,
  async mock(importOriginal: () => Promise<unknown>) {
    const { findSwaggerUi } = (await importOriginal()) as { findSwaggerUi: () => string | null }
    return { findSwaggerUi: vi.fn(() => (peer.isHidden ? null : findSwaggerUi())) }
  },
}
