/** The methods that `reflect-metadata` and similar packages add to `Reflect`. */
export interface MetadataStore {
  getOwnMetadataKeys(target: object, member?: PropertyKey): (string | symbol)[]
  getOwnMetadata(key: string | symbol, target: object, member?: PropertyKey): unknown
}

/** The metadata store of the process; `null` if there is none, so that no package can have stored anything. */
export function metadataStore(): MetadataStore | null {
  const store = Reflect as Partial<MetadataStore>
  return typeof store.getOwnMetadataKeys === 'function' ? (store as MetadataStore) : null
}

/**
 * The lists of routing-controllers, which does not use reflect-metadata; `undefined` if the process has not loaded it.
 */
export function storedLists(): Readonly<Record<string, unknown>> | undefined {
  const { routingControllersMetadataArgsStorage: lists } = globalThis as {
    routingControllersMetadataArgsStorage?: Record<string, unknown>
  }
  return lists
}

/** Whether a decorator of another framework can have stored data. The check is loaded only in this case. */
export function hasTraces(): boolean {
  return metadataStore() !== null || storedLists() !== undefined
}
