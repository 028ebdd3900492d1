import type { Defect } from './defect.js'
import { features } from './set/features.js'
import { foundation } from './set/foundation.js'
import { integrations } from './set/integrations.js'
import { stores } from './set/stores.js'
import { tools } from './set/tools.js'

/** All planted defects. They were chosen from the sources alone, without a look at the tests. */
export const defects: readonly Defect[] = [
  ...foundation,
  ...features,
  ...stores,
  ...integrations,
  ...tools,
]
