"""Games as data for programs in other languages, and the web page that plays them."""
