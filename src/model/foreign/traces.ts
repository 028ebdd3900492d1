/** The methods that `reflect-metadata` and similar packages add to `Reflect`. */
export interface MetadataStore {
  getOwnMetadataKeys(target: object, member?: PropertyKey): (string | symbol)[]
  getOwnMetadata(key: string | symbol, target: object, member?: PropertyKey): unknown
}

/**
 * Returns the metadata store of the process; `null` if there is none. In that case, no package can have stored any
 * metadata.
 */
export function metadataStore(): MetadataStore | null {
  const store = Reflect as Partial<MetadataStore>
  return typeof store.getOwnMetadataKeys === 'function' ? (store as MetadataStore) : null
}

/**
 * Returns the lists of routing-controllers, which does not use reflect-metadata; `undefined` if the process has not
 * loaded routing-controllers.
 */
export function storedLists(): Readonly<Record<string, unknown>> | undefined {
  const { routingControllersMetadataArgsStorage: lists } = globalThis as {
    routingControllersMetadataArgsStorage?: Record<string, unknown>
  }
  return lists
}

/**
 * Whether a decorator of another framework can have stored data. The check for other frameworks is loaded only in this
 * case.
 */
export function hasTraces(): boolean {
  return metadataStore() !== null || storedLists() !== undefined
}
