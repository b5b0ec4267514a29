/** Makes the browser save a file as a download. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download keeps the file once it has started, so the address is no longer needed.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
