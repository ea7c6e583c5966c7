/** Buttons that copy the text beside them. */

const MILLISECONDS_SHOWN = 1500;

document.addEventListener("click", async (click) => {
  const button = click.target.closest("[data-copy]");
  if (!button) return;
  const source = button.parentElement.querySelector("code, pre");
  const isCopied = await copy(source);
  button.textContent = isCopied ? "Copied" : "Press Ctrl-C";
  setTimeout(() => (button.textContent = "Copy"), MILLISECONDS_SHOWN);
});

// Over plain HTTP browsers deny access to the clipboard: select the text for the user to copy.
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    return false;
  }
}
