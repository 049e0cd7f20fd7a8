// The organisation that asks: its name and its logo, which participants see.
import { t } from "../shared/language.js";
import { alertBox, announce, field, make, replace } from "../shared/page.js";
import { retryBox } from "../shared/retry.js";
import { ask } from "../shared/request.js";
import { saveOrganisation } from "./header.js";

const TYPES = ["image/png", "image/jpeg", "image/webp"],
  MAX_BYTES = 256 * 1024;

// The form saves all it shows: what is stored is known first.
export function organisationView(root) {
  document.title = `${t("Organisation")} – pckv`;
  const place = make("div");
  replace(root, make("h1", {}, t("Organisation")), place);
  async function load() {
    replace(place, make("p", { class: "computing" }, t("Loading …")));
    try {
      replace(place, organisationForm(await ask("GET", "/organisation")));
    } catch (error) {
      replace(place, retryBox(error, load));
    }
  }
  load();
}

function organisationForm(stored) {
  const name = make("input", { maxlength: 256, autocomplete: "organization", value: stored.name ?? "" }),
    file = make("input", { type: "file", accept: TYPES.join(",") }),
    shown = make("img", { class: "logo", alt: t("The logo"), hidden: true }),
    remove = make("button", { type: "button", hidden: true, onclick: removeLogo }, t("Take the logo away")),
    said = make("div");
  // Undefined while the logo stays as it is.
  let logo;
  file.addEventListener("change", chosen);
  showLogo(stored.logo ? `/organisation/logo?${Date.now()}` : null);
  const form = make(
    "form",
    { class: "card small-form", novalidate: true, onsubmit: send },
    make("p", {}, t("Participants see who asks them: the name and the logo stand on the pages of your surveys.")),
    field(t("Name of the organisation"), name),
    shown,
    field(t("Logo"), file, t("A picture of at most 256 KiB (PNG, JPEG or WebP).")),
    make("div", { class: "buttons" }, remove),
    said,
    make("button", { class: "main" }, t("Save")),
  );

  function showLogo(address) {
    if (address) shown.src = address;
    shown.hidden = remove.hidden = !address;
  }

  async function chosen() {
    const [picture] = file.files;
    replace(said);
    if (!picture) return;
    if (!isLogo(picture)) {
      file.value = "";
      return replace(said, alertBox(t("Choose a picture of at most 256 KiB: PNG, JPEG or WebP.")));
    }
    logo = await asAddress(picture);
    showLogo(logo);
  }

  function removeLogo() {
    logo = null;
    file.value = "";
    showLogo(null);
  }

  async function send(event) {
    event.preventDefault();
    try {
      await saveOrganisation({ name: name.value.trim() || null, logo });
      replace(said, make("p", { class: "note done" }, t("Saved.")));
      announce(t("Saved."));
    } catch (error) {
      replace(said, alertBox(error.message));
    }
  }

  return form;
}

const isLogo = ({ type, size }) => TYPES.includes(type) && size <= MAX_BYTES;

const asAddress = (picture) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(picture);
  });
